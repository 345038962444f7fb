/** Parts of a dashboard, and the Grafana model it becomes. Schema: Grafana’s dashboard JSON model, version 41. */

export interface Series {
  /** PromQL. `$__rate_interval` and `$instance` are filled in by Grafana. */
  readonly query: string;
  /** Name of each line, in Grafana’s legend syntax. */
  readonly legend: string;
}

/** Units by Grafana’s names: calls a second, seconds, share of 1, bytes, plain number, cores. */
type Unit = 'reqps' | 's' | 'percentunit' | 'bytes' | 'short' | 'ops';

export interface Panel {
  readonly title: string;
  /** The meaning for a reader, and the action to take. */
  readonly about: string;
  readonly unit: Unit;
  readonly series: readonly Series[];
  /** `stat`: the newest value in large; `area`: stacked; `lines` by default. */
  readonly draw?: 'stat' | 'area' | 'lines';
  /** From here on it is drawn amber, and red. */
  readonly amber?: number;
  readonly red?: number;
  /** Below this it is drawn red. Excludes amber and red. */
  readonly redBelow?: number;
}

export interface Board {
  /** Name of the file, and the board’s address in Grafana. */
  readonly name: string;
  readonly title: string;
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
}

const columns = 24;
const width = 8;
const height = 8;
const source = { type: 'prometheus', uid: '${source}' };

/** The board as Grafana imports it: rows of three panels, the data source and the instances to choose from. */
export function renderBoard({ name, title, rows }: Board): object {
  let id = 0;
  let y = 0;
  const panels = Object.entries(rows).flatMap(([row, members]) => {
    const head = {
      id: ++id,
      type: 'row',
      title: row,
      collapsed: false,
      gridPos: { h: 1, w: columns, x: 0, y },
      panels: [],
    };
    const top = y + 1;
    y = top + height * Math.ceil((members.length * width) / columns);
    const perLine = columns / width;
    return [
      head,
      ...members.map((panel, index) => ({
        id: ++id,
        ...renderPanel(panel),
        gridPos: { h: height, w: width, x: (index % perLine) * width, y: top + Math.floor(index / perLine) * height },
      })),
    ];
  });
  return {
    uid: `verifyhuman-${name}`,
    title: `VerifyHuman: ${title}`,
    tags: ['verifyhuman'],
    schemaVersion: 41,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    links: [
      { type: 'dashboards', title: 'VerifyHuman', tags: ['verifyhuman'], keepTime: true, asDropdown: true },
      { type: 'link', title: 'Runbook', url: '${docs}/how-to/answer-alerts.html', icon: 'doc', targetBlank: true },
    ],
    templating: { list: variables },
    panels,
  };
}

/** The address of deploy/prometheus.yml; change both to that of your documentation. */
const docsUrl = 'http://127.0.0.1:3000/docs';

const variables = [
  { name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' },
  {
    name: 'instance',
    label: 'Process',
    type: 'query',
    datasource: source,
    query: { query: 'label_values(vh_build_info, instance)', refId: 'instances' },
    refresh: 2,
    includeAll: true,
    allValue: '.+',
    multi: true,
    current: { text: 'All', value: '$__all' },
  },
  { name: 'docs', label: 'Documentation', type: 'textbox', query: docsUrl, current: { text: docsUrl, value: docsUrl } },
];

function renderPanel({ title, about, unit, series, draw = 'lines', amber, red, redBelow }: Panel): object {
  const steps = [
    ...(redBelow === undefined ? [] : [{ color: 'red', value: null }]),
    { color: 'green', value: redBelow ?? null },
    ...(amber === undefined ? [] : [{ color: 'orange', value: amber }]),
    ...(red === undefined ? [] : [{ color: 'red', value: red }]),
  ];
  const isStat = draw === 'stat';
  const line = {
    drawStyle: 'line',
    fillOpacity: draw === 'area' ? 40 : 0,
    stacking: { mode: draw === 'area' ? 'normal' : 'none' },
  };
  const thresholdsStyle = { mode: steps.length > 1 ? 'dashed' : 'off' };
  return {
    type: isStat ? 'stat' : 'timeseries',
    title,
    description: about,
    datasource: source,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        thresholds: { mode: 'absolute', steps },
        ...(isStat ? {} : { custom: { ...line, thresholdsStyle } }),
      },
      overrides: [],
    },
    options: isStat
      ? { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value' }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: series.map(({ query, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: source,
      expr: query,
      legendFormat: legend,
    })),
  };
}
