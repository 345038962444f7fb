/** Calls a tool: checks the input, calls the operation, shapes its reply. A failure is an answer that says what to do. */
import type { ValidateFunction } from 'ajv';
import type { FastifyInstance } from 'fastify';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ErrorBody } from '../contract/common.js';
import type { KeyCaller } from '../kernel/caller.js';
import { createAjv, describeViolation } from '../kernel/validation.js';
import type { Issue } from '../errors.js';
import type { AgentTool, OperationCall } from './tool.js';

interface Callee {
  readonly app: Pick<FastifyInstance, 'inject'>;
  readonly prefix: string;
}

export interface RelayDeps {
  /** The applications that serve the operations, and the paths of their roots. */
  readonly api: Callee;
  readonly audience: Callee;
  readonly deadlineMs: number;
}

export interface RelayedBy {
  readonly authorization: string;
  readonly requestId: string;
  /** Runs before an operation is called, and counts the call against the caller’s limits. */
  readonly onCall: () => void;
  /** Runs on a fault of the service, not on a refusal. */
  readonly onFailure: (error: unknown) => void;
}

export interface PreparedTool extends AgentTool {
  readonly validate: ValidateFunction;
}

/** Each input's check is compiled by the first call: all of them together take a fifth of a second of the start. */
export function prepareTools(tools: readonly AgentTool[]): readonly PreparedTool[] {
  const ajv = createAjv(false);
  return tools.map((tool) => {
    let validate: ValidateFunction | undefined;
    return {
      ...tool,
      get validate() {
        return (validate ??= ajv.compile(tool.input));
      },
    };
  });
}

export const mayCall = ({ scopes }: AgentTool, caller: KeyCaller): boolean =>
  scopes.some((scope) => caller.scopes.includes(scope));

export async function callTool(
  deps: RelayDeps,
  tool: PreparedTool,
  { caller, input, by }: { readonly caller: KeyCaller; readonly input: unknown; readonly by: RelayedBy },
): Promise<CallToolResult> {
  if (!mayCall(tool, caller))
    return failed(
      `INSUFFICIENT_SCOPE: ${tool.name} needs the scope ${tool.scopes.join(' or ')}. Request a token with it.`,
    );
  if (!tool.validate(input)) {
    const issues = (tool.validate.errors ?? []).slice(0, 10).map((violation) => describeViolation(violation, 'body'));
    return failed(`VALIDATION_FAILED: The input is invalid. Correct it and call again.${listed(issues)}`);
  }
  try {
    return await answer(deps, tool, input, by);
  } catch (error) {
    by.onFailure(error);
    return failed(`INTERNAL: The service failed on this call. Report request ${by.requestId} to the operator.`);
  }
}

async function answer(deps: RelayDeps, tool: PreparedTool, input: unknown, by: RelayedBy): Promise<CallToolResult> {
  const relayed = await relay(deps, by, tool.callOf(input));
  if (!relayed.ok) {
    const { code = 'INTERNAL', message = 'The service failed on this call.', issues = [] } = relayed.error;
    return failed(`${code}: ${message}${listed(issues)} (request ${by.requestId})`);
  }
  const output = tool.shape(relayed.reply);
  return {
    structuredContent: output as Record<string, unknown>,
    content: [{ type: 'text', text: tool.say(output) }],
  };
}

const listed = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `\n- ${path === '' ? 'input' : path} ${message}`).join('');

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] });

type Relayed =
  | { readonly ok: true; readonly reply: unknown }
  | { readonly ok: false; readonly error: Partial<ErrorBody> };

/** Calls an operation with the token of the tool's caller, inside this process. A refusal of the operation keeps its words. */
async function relay(
  { api, audience, deadlineMs }: RelayDeps,
  { authorization, requestId, onCall }: RelayedBy,
  { api: named, method, path, query = {}, body, projectId }: OperationCall,
): Promise<Relayed> {
  const present = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const { app, prefix } = named === 'audience' ? audience : api;
  onCall();
  const calling = app.inject({
    method,
    url: prefix + path,
    query: Object.fromEntries(present) as Record<string, string>,
    headers: {
      authorization,
      'x-request-id': requestId,
      ...(projectId === undefined ? {} : { 'x-project-id': projectId }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  const answer = await within(calling, deadlineMs);
  if (answer === null)
    return {
      ok: false,
      error: { code: 'OVERLOADED', message: `The call took longer than ${deadlineMs / 1_000} s. Try again.` },
    };
  const reply: unknown = answer.json();
  return answer.statusCode < 300 ? { ok: true, reply } : { ok: false, error: reply as ErrorBody };
}

/** null where it takes too long; what it comes to then is nobody’s. */
async function within<T>(work: Promise<T>, deadlineMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), deadlineMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
