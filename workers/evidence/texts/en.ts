/** English, from which every language derives its shape. The details of findings stand with their rules. */
const summary = {
  risk: 'Risk {score} of 100.',
  openings: {
    allow: 'Little or no evidence against this session.',
    below: 'The evidence against this session is below the review threshold.',
    nothingMeasured: 'Nothing that was measured speaks against this session.',
    automatedAllow: 'Automation seems to run this session, although its score is below the review threshold.',
    review: 'There is enough evidence against this session to review it.',
    policy: 'Project policy asks for a review of this session.',
    failedStepUp: 'The requested step-up was failed, so this session needs a review.',
    step_up: 'This session needs a further verification.',
    block: 'There is enough evidence against this session to block it.',
    agent: 'The visitor is a verified agent.',
    agentBlocked: 'The visitor is a verified agent, but there is enough evidence against this session to block it.',
  },
  main: 'Main finding: {detail}',
  oneFurther: 'One further finding is against it.',
  further: '{count} further findings are against it.',
  favor: 'In its favor: {detail}',
  ceilings: {
    uncorroborated: 'At most one kind of evidence weighs enough, and one kind alone never reaches the block band.',
    policy: 'Project policy raised the score. Policy alone never moves it into the block band.',
    dispositive: 'A signal was found that the project allows to block alone.',
  },
  unmeasured: 'Not measured: {parts}.',
  parts: {
    network: 'network',
    device: 'device',
    velocity: 'rates',
    behavior: 'behavior',
    history: 'history',
    duplicate: 'repeats',
  },
  /** Between parts, and between sentences. */
  separator: ', ',
  space: ' ',
};

type Texts<T> = { readonly [Name in keyof T]: T[Name] extends string ? string : Texts<T[Name]> };
export type SummaryTexts = Texts<typeof summary>;

export const englishSummary: SummaryTexts = summary;
