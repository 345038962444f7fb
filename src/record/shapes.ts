/**
 * In which order the fields of a record are written, instead of their names. Fields are only ever added, at the end of their shape: a reader
 * that does not know them passes over them, and a record from before has not got them. What a shape does not name (a probe may bring any
 * field) is kept with its name.
 */

export interface Shape {
  readonly kind: 'shape';
  readonly names: readonly string[];
  /** Fields that stand elsewhere in the record. */
  readonly left: readonly string[];
  readonly inner: readonly Layout[];
}

interface ListOf {
  readonly kind: 'list';
  readonly item: Layout;
}

/** null: a value that tells by itself what it is. */
export type Layout = Shape | ListOf | null;

const shape = (names: string, inner: Readonly<Record<string, Layout>> = {}, left: Shape['left'] = []): Shape => {
  const list = names.split(' ');
  return { kind: 'shape', names: list, left, inner: list.map((name) => inner[name] ?? null) };
};
const listOf = (item: Layout): ListOf => ({ kind: 'list', item });

/** Whose score it is, and by which references it was counted. */
export const headShape = shape('owner sourceId sessionId studyId modelVersion trace subjects', {
  owner: shape('receiptId organizationId projectId lineage isTest isDemo'),
  trace: shape('nowMs session scope respondent device address prefix source deviceClass addressShared host'),
  subjects: shape('respondent source subSource'),
});

/** What was known before anything was counted. */
export const givenShape = shape(
  'version measured calibration assuranceAvailable userAgent declaredCountry respondentKnown respondentStats ownAddress address agent degraded integration',
  {
    calibration: shape(
      'reviewLow blockThreshold noProbeRiskScore stepUpEnabled stepUpThreshold stepUpIntensityThreshold geoRiskWeights dispositiveSignals newUserPosture verifiedAgentPolicy',
    ),
    respondentStats: shape('attempts completes reconciliationRate'),
    address: shape('family range country asn network'),
    agent: shape('outcome agent reason'),
    integration: shape('unknownFields unhashed probeElsewhere isFixedSession'),
  },
  ['receiptId', 'scoredAtMs', 'sessionId', 'prefix'],
);

const historyShape = shape('n fraud clawbacks asOfDay young');
const sketchShape = shape('terms osFamily browser browserMajor');

/** What the counters store answered. */
export const countedShape = shape('supersedes device signatureFresh complete history probe counts', {
  history: shape('respondent source subSource', {
    respondent: historyShape,
    source: historyShape,
    subSource: historyShape,
  }),
  probe: shape('pages device', { pages: listOf(shape('load update')) }),
  counts: shape(
    'deviceSessionsDay deviceRespondentsDay respondentDay respondentDevicesWeek addressDevicesHour addressRespondentsHour addressSessionsHour prefixSessionsHour prefixSessionsDay sharedAddressHour sharedAddressDay hostPeopleHour source terms candidates neighborhood',
    {
      source: shape('hour mean variance hours'),
      terms: shape('total counts'),
      candidates: listOf(
        shape('session atMs respondent device prefix token address sketch via', { sketch: sketchShape }),
      ),
      neighborhood: shape('sessions direct linked prefixSessions prefixSquares prefixes'),
    },
  ),
});

/** What the core made of it. */
export const outcomeShape = shape('supersedes verdict', {
  verdict: shape(
    'uncapped caps agentPolicy stepUpThreshold modelVersion score recommendation verdictClass duplicateBand classification',
    { classification: listOf(shape('code list strength')) },
  ),
});

/** A message of the probe. */
export const messageShape = shape('body transport', {
  body: shape('v sdk projectKey sessionId nonce seq phase at up ids auto lies gaps ua hw scr loc gfx env page beh q', {
    ids: shape('token kept'),
    auto: shape('webdriver globals debugStack debugGetter'),
    ua: shape('ua brands mobile platform platformVersion model arch'),
    hw: shape('cores memory touch platform'),
    scr: shape('w h availW availH outerW outerH innerW innerH dpr depth'),
    loc: shape('zone offset language languages'),
    gfx: shape('vendor renderer canvas stable audio'),
    env: shape('fonts plugins pdf cookies storage'),
    page: shape('framed hidden hiddenMs blurs'),
    beh: shape(
      'ms moves interval speed turn straight coalesced resolution fractional clicks clickDwell clickSettle clickCentre clickBare pressureZero keys keyDwell keyFlight keyNoCode inputNoKey wheels wheelLies scrolls touches touchForce touchRadius pastes pasteChars untrusted motion',
    ),
    q: listOf(
      shape('questionId timeOnQuestionMs mouseMoveCount keyCount pasteCount focusEntries focusExits ended text'),
    ),
  }),
  transport: shape('userAgent acceptLanguage hintPlatform hintMobile origin receivedAtMs'),
});

export const sealShape = shape('keyId signature index count path');
