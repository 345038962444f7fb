import t from 'tap';
import { nameShapes, shareParts } from '../../src/http/finish-document.js';

const finding = {
  type: 'object',
  required: ['code'],
  properties: { code: { type: 'string', description: 'Its code.' } },
};
const reply = { type: 'object', properties: { findings: { type: 'array', items: finding } } };

const named = (schema: object, at = 'schema') =>
  nameShapes({ at: { [at]: schema }, components: { schemas: { Finding: finding, Reply: reply } } }) as {
    readonly at: Readonly<Record<string, unknown>>;
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };

t.test(
  'a shape with a name is referenced wherever its structure stands, in whatever order it was written',
  async (t) => {
    t.same(named(finding).at, { schema: { $ref: '#/components/schemas/Finding' } });
    const { properties, type, required } = finding;
    t.same(named({ properties, required, type }).at, { schema: { $ref: '#/components/schemas/Finding' } });
    t.same(named(reply).components.schemas['Reply'], {
      type: 'object',
      properties: { findings: { type: 'array', items: { $ref: '#/components/schemas/Finding' } } },
    });
  },
);

t.test(
  'words of the place stay beside the reference; limits of its own keep a schema from being the shape',
  async (t) => {
    t.same(named({ ...finding, description: 'The first.' }, 'first').at, {
      first: { $ref: '#/components/schemas/Finding', description: 'The first.' },
    });
    t.same(named({ ...finding, additionalProperties: false }).at, {
      schema: { ...finding, additionalProperties: false },
    });
  },
);

t.test('a shape that may be null is the shape or null', async (t) => {
  t.same(named({ ...finding, type: ['object', 'null'] }).at, {
    schema: { anyOf: [{ $ref: '#/components/schemas/Finding' }, { type: 'null' }] },
  });
});

t.test('values of callers are left alone, and so is the document given', async (t) => {
  const document = { at: { example: finding, schema: finding }, components: { schemas: { Finding: finding } } };
  const before = structuredClone(document);
  t.same((nameShapes(document) as typeof document).at.example, finding);
  t.same(document, before);
});

t.test(
  'error replies that are the same stand once; one that differs, and every success, stays with its operation',
  async (t) => {
    const operation = (text: string) => ({ responses: { 200: { description: 'OK' }, 404: { description: text } } });
    const { paths, components } = shareParts({
      components: { schemas: {} },
      paths: { '/a': { get: operation('none') }, '/b': { get: operation('none'), put: operation('gone') } },
    }) as unknown as { readonly paths: unknown; readonly components: unknown };
    const shared = { responses: { 200: { description: 'OK' }, 404: { $ref: '#/components/responses/NotFound' } } };
    t.same(paths, { '/a': { get: shared }, '/b': { get: shared, put: operation('gone') } });
    t.same(components, { schemas: {}, responses: { NotFound: { description: 'none' } }, parameters: {} });
  },
);

t.test('a parameter that operations repeat stands once; one of its name that differs stays', async (t) => {
  const own = (name: string, most: number) => ({ name, in: 'query', schema: { type: 'integer', maximum: most } });
  const { paths, components } = shareParts({
    paths: {
      '/a': { get: { parameters: [own('limit', 100), own('at', 1)] }, put: {} },
      '/b': { get: { parameters: [own('limit', 100)] }, put: { parameters: [own('limit', 9)] } },
    },
  }) as unknown as { readonly paths: unknown; readonly components: unknown };
  const shared = { $ref: '#/components/parameters/limit' };
  t.same(paths, {
    '/a': { get: { parameters: [shared, own('at', 1)] }, put: {} },
    '/b': { get: { parameters: [shared] }, put: { parameters: [own('limit', 9)] } },
  });
  t.same(components, { responses: {}, parameters: { limit: own('limit', 100) } });
});
