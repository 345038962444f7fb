/**
 * Tools of studies: asking for verified respondents, and how far it is. Launching a study stays with people.
 */
import type { StudyReply } from '../contract/study.js';
import { defineTool, type AgentTool } from './tool.js';

const progressOf = ({ studyId, projectId, name, status, entryUrl, progress }: StudyReply) => ({
  ...{ studyId, projectId, name, status, entryUrl, progress },
});
const figures = ({ completed, verified, entered, sample_size: wanted }: StudyReply['progress']): string =>
  `${completed} of ${wanted} completed; ${verified} verified of ${entered} who came.`;

export const studyTools: readonly AgentTool[] = [
  defineTool<'create_study', StudyReply>('create_study', {
    title: 'Create a study',
    description:
      'Asks for verified respondents: countries, language, sample size, survey. It is a draft until it is launched.',
    scopes: ['audience:write'],
    readOnly: false,
    callOf: (body) => ({ api: 'audience', method: 'POST', path: '/studies', body }),
    shape: progressOf,
    say: ({ studyId, status }) =>
      `Study ${studyId} is ${status}. It is fielded after POST /studies/${studyId}/launch of the audience API.`,
  }),
  defineTool<'study_progress', StudyReply>('study_progress', {
    title: 'Follow a study',
    description: 'State of a study, its places and quotas.',
    scopes: ['audience:write'],
    callOf: ({ studyId }) => ({ api: 'audience', method: 'GET', path: `/studies/${encodeURIComponent(studyId)}` }),
    shape: progressOf,
    say: ({ name, status, progress }) =>
      `${name} is ${status}: ${figures(progress)} ${progress.places_left} places left.`,
  }),
];
