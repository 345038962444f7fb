/**
 * All tools, in the order in which an agent reads them.
 */
import { projectTools } from './project-tools.js';
import { scoringTools } from './scoring-tools.js';
import { studyTools } from './study-tools.js';
import type { AgentTool } from './tool.js';

export const agentTools: readonly AgentTool[] = [...scoringTools, ...projectTools, ...studyTools];
