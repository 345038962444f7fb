/**
 * Renders docs/reference/probe-data.md: every value that the probe sends, from the contract's schema, with its reason and how a page
 * omits it. A field without a signal fails the build of the page; test/sdk/lite/fields.browser.test.ts holds the signals to the bundle.
 */
import { ProbeBody, QuestionSnapshot } from '../src/contract/probe.js';
import { personBehavior, personDevice } from '../src/contract/person-example.js';
import { marksOfMovement } from '../workers/duplicates/movement.js';
import { sketchDevice } from '../workers/duplicates/sketch.js';

interface Signal {
  readonly purpose: string;
  /** Names within the group, separated by spaces. */
  readonly fields: string;
}
type GroupName = 'ids' | 'auto' | 'lies' | 'ua' | 'hw' | 'scr' | 'loc' | 'gfx' | 'env' | 'page' | 'beh';

const protocol = 'joins messages to their session, in order';

/** The signal that fills each field, by group. `data-without` takes the names of signals. */
export const signalsOfFields: Readonly<Record<GroupName, Readonly<Record<string, Signal>>>> = {
  ids: { storage: { purpose: 'finds two sessions of one browser', fields: 'token kept' } },
  auto: {
    automation: { purpose: 'finds programs that drive the browser', fields: 'webdriver globals' },
    debugging: { purpose: 'finds programs that drive the browser', fields: 'debugStack debugGetter' },
  },
  // A list without fields.
  lies: {
    natives: { purpose: 'finds browsers that pretend to be others', fields: '' },
    frames: { purpose: 'finds browsers that pretend to be others', fields: '' },
    worker: { purpose: 'finds browsers that pretend to be others', fields: '' },
  },
  ua: {
    agent: {
      purpose: 'compares what the browser claims with what it does; finds similar devices',
      fields: 'ua brands mobile platform platformVersion model arch',
    },
  },
  hw: {
    hardware: {
      purpose: 'compares the hardware with the claimed device; finds similar devices',
      fields: 'cores memory touch platform',
    },
  },
  scr: {
    display: {
      purpose: 'finds impossible windows and screens; finds similar devices',
      fields: 'w h availW availH outerW outerH innerW innerH dpr depth',
    },
  },
  loc: {
    locale: {
      purpose: 'compares clock and language with the country of the address; finds similar devices',
      fields: 'zone offset language languages',
    },
  },
  gfx: {
    graphics: {
      purpose: 'finds virtual machines and browsers without a screen; finds similar devices',
      fields: 'vendor renderer',
    },
    canvas: { purpose: 'finds similar devices, and browsers that falsify drawings', fields: 'canvas stable' },
    audio: { purpose: 'finds similar devices', fields: 'audio' },
  },
  env: {
    fonts: { purpose: 'finds similar devices', fields: 'fonts' },
    environment: {
      purpose: 'finds browsers that programs start without a profile',
      fields: 'plugins pdf cookies storage',
    },
  },
  page: {
    page: { purpose: 'shows whether the survey was in view', fields: 'framed hidden hiddenMs blurs' },
  },
  beh: {
    trust: { purpose: 'finds input that a script made', fields: 'ms untrusted' },
    pointer: {
      purpose: 'distinguishes a hand from a program, and finds repeated input',
      fields: 'moves interval turn straight coalesced fineTimes subpixel',
    },
    clicks: {
      purpose: 'distinguishes a hand from a program, and finds repeated input',
      fields: 'clicks clickDwell clickSettle clickCentre clickBare pressureZero',
    },
    keyboard: {
      purpose: 'distinguishes typing from a program, and finds repeated input',
      fields: 'keys keyDwell keyFlight keyNoCode keyFineTimes keyNoShift inputNoKey pastes pasteChars',
    },
    wheel: { purpose: 'distinguishes a wheel from a program', fields: 'wheels wheelTicks wheelLies scrolls' },
    touch: { purpose: 'distinguishes fingers from a program', fields: 'touches touchForce touchRadius motion' },
  },
};

interface Schema {
  readonly type?: string;
  readonly const?: string | number;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A field that may be null, as the field itself. */
const valueOf = (schema: Schema): Schema => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;

function typeOf(schema: Schema): string {
  const { type, const: fixed, enum: values, items, minItems, maxItems, maxLength } = schema;
  if (fixed !== undefined) return `always ${fixed}`;
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(' or ');
  if (type === 'array' && minItems === 5) return 'statistics';
  if (type === 'array') return `list, at most ${String(maxItems)}${items?.type === 'string' ? ' texts' : ''}`;
  if (type === 'string') return maxLength === undefined ? 'text' : `text, at most ${maxLength} characters`;
  if (type === 'boolean') return 'yes or no';
  return type === 'integer' ? 'whole number' : 'number';
}

/** Paths of the fields that `read` reads from a message of a person. */
function pathsRead(read: (body: ProbeBody) => unknown): ReadonlySet<string> {
  const paths = new Set<string>();
  const watched = (value: object, prefix: string): object =>
    new Proxy(value, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof name !== 'string') return found;
        const path = `${prefix}${name}`;
        if (typeof found === 'object' && found !== null && !Array.isArray(found)) return watched(found, `${path}.`);
        paths.add(path);
        return found;
      },
    });
  read(watched({ ...personDevice, beh: personBehavior }, '') as ProbeBody);
  return paths;
}

const compared = pathsRead((body) => sketchDevice(body, null));
const repeated = pathsRead(marksOfMovement);

function identifies(path: string): string {
  if (path === 'ids.token') return 'the browser, until its storage is cleared';
  if (compared.has(path)) return 'with others, a device';
  return repeated.has(path) ? 'repeated input' : 'no';
}

type Row = readonly [path: string, type: string, meaning: string, purpose: string, identifies: string, signal: string];

function describe(path: string, schema: Schema, purpose: string, signals: readonly string[]): Row {
  const { description } = { ...valueOf(schema), ...(schema.description && { description: schema.description }) };
  if (description === undefined) throw new Error(`${path} of the probe has no description`);
  const omitted = signals.map((name) => `\`${name}\``).join(', ');
  return [`\`${path}\``, typeOf(valueOf(schema)), description, purpose, identifies(path), omitted];
}

function rowsOfGroup(group: GroupName, schema: Schema): readonly Row[] {
  const signals = Object.entries(signalsOfFields[group]);
  if (schema.properties === undefined)
    return [
      describe(
        group,
        schema,
        signals[0]?.[1].purpose ?? '',
        signals.map(([name]) => name),
      ),
    ];
  return Object.entries(schema.properties).map(([name, field]) => {
    const found = signals.find(([, { fields }]) => fields.split(' ').includes(name));
    if (found === undefined) throw new Error(`no signal fills ${group}.${name} of the probe`);
    return describe(`${group}.${name}`, field, found[1].purpose, [found[0]]);
  });
}

/** A row for each value of a message. */
export function rowsOfProbe(): readonly Row[] {
  const groups = ProbeBody.properties as unknown as Readonly<Record<string, Schema>>;
  return Object.entries(groups).flatMap(([name, schema]) => {
    if (name in signalsOfFields) return rowsOfGroup(name as GroupName, schema);
    if (name !== 'q')
      return [describe(name, schema, name === 'gaps' ? 'distinguishes absent from clean' : protocol, [])];
    return Object.entries(QuestionSnapshot.properties as unknown as Readonly<Record<string, Schema>>).map(
      ([field, part]) => describe(`q.${field}`, part, 'finds rushed and pasted answers', []),
    );
  });
}

export function probeDataPage(table: (head: readonly string[], rows: readonly Row[]) => string): string {
  return `# Data of the probe

This page lists every value that the [probe](probe.md) sends, for your data protection assessment. The probe is optional, and a page omits any signal:

\`\`\`html
<script async src="https://verify.example/sdk/lite/v1/vh-lite.iife.js" data-project-key="pk_..." data-without="storage canvas"></script>
\`\`\`

- *Omit with* names the signal for \`data-without\`. Values without one are part of every message. Those of \`q\` are sent only if the page calls [\`startQuestionObserver\`](probe.md#functions).
- *Identifies* says whether the service compares the value with other sessions. It keeps keyed hashes for that, and combines values marked "with others".
- Statistics are the number of values, their mean, standard deviation, minimum and maximum. No single move or key is sent.
- Values with a signal are optional. null means that the browser did not give it.
- The service also sees the address and the headers of each request, like every server.

${table(['value', 'type', 'meaning', 'purpose', 'identifies', 'omit with'], rowsOfProbe())}

[Never sent](probe.md#never-sent) lists what the probe leaves alone. [Personal data](../explanation/privacy.md) says how long data is kept.
`;
}
