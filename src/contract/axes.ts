/** The axes of a score. Apart from the schemas, so that worker threads load none of those: that is a third of a second and some megabytes each. */
export const axes = ['network', 'device', 'velocity', 'duplicate', 'behavior', 'history'] as const;
export type Axis = (typeof axes)[number];

/** The axes that risk is fused from; duplication is reported apart and never moves risk. */
export const riskAxes = ['network', 'device', 'velocity', 'behavior', 'history'] as const;
export type RiskAxis = (typeof riskAxes)[number];
/** Sessions of a sample from which independence, an axis apart, is judged. */
export const independenceSessionsMin = 10;
