/** A Model Context Protocol server for one request. It lists the tools that the token may call. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { KeyCaller } from '../kernel/caller.js';
import { callTool, mayCall, type PreparedTool, type RelayDeps, type RelayedBy } from './tool-call.js';

interface Page {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export interface McpDeps extends RelayDeps {
  readonly tools: readonly PreparedTool[];
  readonly pages: readonly Page[];
  readonly version: string;
}

const instructions =
  'Scores respondents of online studies and says why. Start with list_projects, then name the project in each call. The pages under resources explain findings, errors and thresholds.';

/** One for all: the SDK would make one for each server, which costs more than most messages. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const requestSchemas = [
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
];

/** Describes the fault in a message’s parameters; null if there is none, or if its method is unknown. The SDK would answer with a dump. */
export function findWrongParameter(message: { readonly method?: unknown }): string | null {
  const schema = requestSchemas.find((known) => known.shape.method.value === message.method);
  const issue = schema?.safeParse(message).error?.issues[0];
  return issue === undefined ? null : `${issue.path.join('.')} is not as this method takes it: ${issue.message}.`;
}

export function createMcpServer(deps: McpDeps, caller: KeyCaller, by: RelayedBy): Server {
  const server = new Server(
    { name: 'verifyhuman', title: 'VerifyHuman', version: deps.version },
    { capabilities: { tools: {}, resources: {} }, instructions, jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: deps.tools.filter((tool) => mayCall(tool, caller)).map(describe),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = deps.tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new McpError(
        ErrorCode.InvalidParams,
        'This tool does not exist. Call `tools/list` to see the tools of this token.',
      );
    return callTool(deps, tool, { caller, input: params.arguments ?? {}, by });
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: deps.pages.map(({ uri, name, title, text }) => ({
      ...{ uri, name, title, mimeType: 'text/markdown', size: Buffer.byteLength(text) },
    })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const page = deps.pages.find((known) => known.uri === uri);
    if (page === undefined)
      throw new McpError(
        ErrorCode.InvalidParams,
        'This resource does not exist. Call `resources/list` to see all resources.',
      );
    return { contents: [{ uri, mimeType: 'text/markdown', text: page.text }] };
  });
  return server;
}

/** The contract’s schemas are JSON Schema as they stand. */
const describe = ({ name, title, description, scopes, input, output, readOnly }: PreparedTool): Tool => ({
  ...{ name, title, description: `${description} Scope: ${scopes.join(' or ')}.` },
  inputSchema: input as unknown as Tool['inputSchema'],
  outputSchema: output as unknown as NonNullable<Tool['outputSchema']>,
  annotations: { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false },
});

const charactersMax = 65_536;
/** The folders of docs/ that the service serves. */
const servedFolders = ['tutorials', 'how-to', 'reference', 'explanation'];

/** The documentation pages that agents may read, as they stand in the package. Read once; a package without them fails the start. */
export function readDocumentation(packageRoot: string): readonly Page[] {
  const directory = join(packageRoot, 'docs');
  const names = servedFolders.flatMap((folder) =>
    readdirSync(join(directory, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  return names.sort().map((name) => {
    const text = readFileSync(join(directory, name), 'utf8').slice(0, charactersMax);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    return { uri: `verifyhuman://docs/${name}`, name, title, text };
  });
}
