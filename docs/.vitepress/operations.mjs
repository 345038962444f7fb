// The HTTP reference: one page for each tag of the OpenAPI documents, as Markdown.
import { readFileSync } from 'node:fs';

const read = (name) => JSON.parse(readFileSync(new URL(`../../dist/openapi/${name}.json`, import.meta.url), 'utf8'));
const documents = { api: read('api'), studies: read('studies') };
/** Nested fields are listed to this depth; deeper ones stand in the example and in openapi.json. */
const depthMax = 3;

const slugOf = (name) => name.toLowerCase().replaceAll(/\W+/g, '-');

/** Every tag with its operations: `{ name, slug, description, server, operations }`. */
export function tagsOf() {
  return Object.entries(documents).flatMap(([server, document]) =>
    document.tags.map(({ name, description }) => ({
      ...{ name, slug: slugOf(name), description, server },
      operations: Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { tags }]) => tags.includes(name))
          .map(([method, operation]) => ({ document, server, path, method: method.toUpperCase(), operation })),
      ),
    })),
  );
}

/** What a `$ref` points to, within one document. */
function resolve(document, value) {
  if (value?.$ref === undefined) return value ?? {};
  const found = value.$ref
    .split('/')
    .slice(1)
    .reduce((at, key) => at[key], document);
  return { ...resolve(document, found), ...(value.description === undefined ? {} : { description: value.description }) };
}

const cell = (text) => String(text ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
const table = (head, rows) =>
  rows.length === 0
    ? ''
    : [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
const code = (text) => `\`${text}\``;
const json = (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
/** Keywords of the least and the most, and the unit that they count. */
const bounds = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' items'],
];
const limitsOf = (schema) =>
  bounds.flatMap(([least, most, unit]) => {
    const [from, to] = [schema[least], schema[most]];
    if (from === undefined && to === undefined) return [];
    if (to === undefined) return [`at least ${from}${unit}`];
    return [from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`];
  });

/** `string, 1 to 128 characters`; an enumeration lists its values. */
function typeOf(document, given) {
  const schema = resolve(document, given);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(value)).join(', ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map((option) => typeOf(document, option)))].join(' or ');
  const base = [schema.type ?? 'any'].flat().join(' or ');
  const name = schema.type === 'array' ? `array of ${typeOf(document, schema.items)}` : (schema.format ?? base);
  return [name, ...limitsOf(schema)].join(", ");
}

/** Rows of an object's fields, those of nested objects below them. */
function fieldsOf(document, given, prefix = '', depth = 1) {
  const schema = resolve(document, given);
  const [only] = (schema.anyOf ?? []).map((option) => resolve(document, option)).filter(({ type }) => type === 'object');
  const { properties = {}, required = [] } = schema.properties === undefined && only !== undefined ? only : schema;
  return Object.entries(properties).flatMap(([name, value]) => {
    const field = resolve(document, value);
    const inner = field.type === 'array' ? field.items : value;
    const path = `${prefix}${name}`;
    const isList = field.type === 'array';
    const below =
      depth < depthMax ? fieldsOf(document, inner, `${path}${isList ? '[]' : ''}.`, depth + 1) : [];
    const container = isList ? 'array' : 'object';
    const type = below.length > 0 ? container : typeOf(document, value);
    return [[code(path), type, required.includes(name) ? 'yes' : '', field.description], ...below];
  });
}

const credentials = {
  apiKey: 'an API key as `X-API-Key`',
  organizationKey: 'an organization key as `X-API-Key`',
  bearerKey: 'an API key as Bearer',
  dashboard: 'a dashboard token as Bearer',
};
function authentication({ security = [] }) {
  const ways = security.flatMap((entry) =>
    Object.entries(entry).map(([name, scopes]) => credentials[name] ?? `an access token with the scope ${scopes.map(code).join(', ')}`),
  );
  return ways.length === 0 ? 'No credential.' : `Send ${[...new Set(ways)].join(', or ')}.`;
}

function errorRows(document, responses) {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => [status, resolve(document, response).description.split(', ').map(code).join(', ')]);
}

function exampleOf(document, content) {
  const media = content?.['application/json'];
  const [first] = Object.values(media?.examples ?? {});
  return media?.example ?? first?.value ?? resolve(document, media?.schema).examples?.[0];
}

function replyParts(document, responses) {
  const [status, response] = Object.entries(responses).find(([name]) => Number(name) < 400) ?? [];
  if (status === undefined) return [];
  const { content, description } = resolve(document, response);
  const example = exampleOf(document, content);
  return [
    `**Reply ${status}**${content === undefined ? `: ${description}.` : ''}`,
    table(['field', 'type', 'always', 'meaning'], fieldsOf(document, content?.['application/json']?.schema)),
    ...(example === undefined ? [] : [json(example)]),
  ];
}

function describeOperation({ document, server, path, method, operation }) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
  const body = operation.requestBody?.content?.['application/json'];
  const example = exampleOf(document, operation.requestBody?.content);
  const asked = parameters.map(({ name, in: place, required = false }) => ({ name, in: place, required }));
  const call = { method, path, server, parameters: asked, body: example === undefined ? null : JSON.stringify(example, null, 2) };
  return [
    `## ${operation.summary}`,
    `${code(`${method} ${path}`)}`,
    operation.description,
    authentication(operation),
    table(
      ['parameter', 'in', 'type', 'required', 'meaning'],
      parameters.map((one) => [code(one.name), one.in, typeOf(document, one.schema), one.required ? 'yes' : '', one.description]),
    ),
    ...(body === undefined ? [] : ['**Body**', table(['field', 'type', 'required', 'meaning'], fieldsOf(document, body.schema))]),
    `\`\`\`try\n${JSON.stringify(call)}\n\`\`\``,
    ...replyParts(document, operation.responses),
    '**Errors**',
    table(['status', 'codes'], errorRows(document, operation.responses)),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** A page of the reference. */
export const pageOf = ({ name, description, operations }) =>
  [`# ${name}`, description, ...operations.map(describeOperation)].join('\n\n');
