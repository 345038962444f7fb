/** A tool: one operation of the API, called as any client calls it, with a reply cut to what fits a conversation. */
import type { TSchema } from 'typebox';
import { toolShapes, type ToolInput, type ToolName, type ToolOutput } from '../contract/agent-tools.js';
import type { OAuthScope } from '../contract/oauth.js';

/** A call of an operation, below the root of its API. */
export interface OperationCall {
  /** Default: the API itself. */
  readonly api?: 'audience';
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Absent values are left away. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  /** The project that the operation takes from its credential. */
  readonly projectId?: string;
}

export interface AgentTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scopes of the operation; the token needs one of them. */
  readonly scopes: readonly OAuthScope[];
  readonly input: TSchema;
  readonly output: TSchema;
  readonly readOnly: boolean;
  callOf(input: unknown): OperationCall;
  /** From the operation’s reply to the tool’s. */
  shape(reply: unknown): object;
  /** A few lines of text, for agents that read no structure. */
  say(output: object): string;
}

interface ToolOf<Name extends ToolName, Reply> extends Pick<AgentTool, 'title' | 'description' | 'scopes'> {
  /** Default true. */
  readonly readOnly?: boolean;
  readonly callOf: (input: ToolInput<Name>) => OperationCall;
  readonly shape: (reply: Reply) => ToolOutput<Name>;
  readonly say: (output: ToolOutput<Name>) => string;
}

/** `Reply` is what the operation answers with success. Input was checked against the schema before, so that the types hold. */
export function defineTool<Name extends ToolName, Reply>(name: Name, tool: ToolOf<Name, Reply>): AgentTool {
  return {
    ...{ name, ...toolShapes[name], title: tool.title, description: tool.description, scopes: tool.scopes },
    readOnly: tool.readOnly ?? true,
    callOf: (input) => tool.callOf(input as ToolInput<Name>),
    shape: (reply) => tool.shape(reply as Reply),
    say: (output) => tool.say(output as ToolOutput<Name>),
  };
}
