/**
 * A tool called: the input is checked, the operation is called, and its reply is shaped. Whatever goes wrong is an answer of the tool that says
 * what to do, for the agent to read.
 */
import type { ValidateFunction } from 'ajv';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { KeyCaller } from '../kernel/caller.js';
import { createAjv, describeViolation } from '../kernel/validation.js';
import type { Issue } from '../errors.js';
import { relay, type RelayDeps, type RelayedBy } from './relay.js';
import type { AgentTool } from './tool.js';

export interface PreparedTool extends AgentTool {
  readonly validate: ValidateFunction;
}

export function prepareTools(tools: readonly AgentTool[]): readonly PreparedTool[] {
  const ajv = createAjv(false);
  return tools.map((tool) => ({ ...tool, validate: ajv.compile(tool.input) }));
}

export const mayCall = ({ scopes }: AgentTool, caller: KeyCaller): boolean =>
  scopes.some((scope) => caller.scopes.includes(scope));

export async function callTool(
  deps: RelayDeps,
  tool: PreparedTool,
  { caller, input, by }: { readonly caller: KeyCaller; readonly input: unknown; readonly by: RelayedBy },
): Promise<CallToolResult> {
  if (!mayCall(tool, caller))
    return failed(`INSUFFICIENT_SCOPE: ${tool.name} needs an access token with the scope ${tool.scopes.join(' or ')}.`);
  if (!tool.validate(input)) {
    const issues = (tool.validate.errors ?? []).slice(0, 10).map((violation) => describeViolation(violation, 'body'));
    return failed(`VALIDATION_FAILED: correct the input and call again.${listed(issues)}`);
  }
  try {
    return await answer(deps, tool, input, by);
  } catch (error) {
    by.onFailure(error);
    return failed(`INTERNAL: The service failed on this call. Quote the request ${by.requestId} to support.`);
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
