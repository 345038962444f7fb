/** A Model Context Protocol server for one request. It lists the tools that the token may call. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
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
import type { Page } from './documentation.js';
import { callTool, mayCall, type PreparedTool, type RelayDeps, type RelayedBy } from './tool-call.js';

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

function createMcpServer(deps: McpDeps, caller: KeyCaller, by: RelayedBy): Server {
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

/** Answers one message, as the transport of the protocol does over HTTP. */
export async function answerMessage(
  deps: McpDeps,
  caller: KeyCaller,
  { request, body, ...by }: RelayedBy & { readonly request: Request; readonly body: unknown },
): Promise<Response> {
  const server = createMcpServer(deps, caller, by);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

/** The contract’s schemas are JSON Schema as they stand. */
const describe = ({ name, title, description, scopes, input, output, readOnly }: PreparedTool): Tool => ({
  ...{ name, title, description: `${description} Scope: ${scopes.join(' or ')}.` },
  inputSchema: input as unknown as Tool['inputSchema'],
  outputSchema: output as unknown as NonNullable<Tool['outputSchema']>,
  annotations: { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false },
});
