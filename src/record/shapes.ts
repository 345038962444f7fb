/** The layouts of a record. Fields are only added, at the end of their shape. A field that a shape does not name is kept with its name. */
import { hash, id, listOf, shape, word } from './codec.js';

const words = listOf(word);

/** Whose score it is, and by which references it was counted. */
export const headShape = shape('owner sourceId sessionId studyId modelVersion trace subjects', {
  owner: shape('receiptId organizationId projectId lineage isTest isDemo', {
    receiptId: id('rcpt_'),
    organizationId: id('org_'),
    projectId: id('proj_'),
    lineage: id('key_'),
  }),
  trace: shape('nowMs session scope respondent device address prefix source deviceClass addressShared host', {
    deviceClass: word,
  }),
  subjects: shape('respondent source subSource range network study'),
});

const sketchShape = shape('terms osFamily browser browserMajor', {
  terms: listOf(hash),
  osFamily: word,
  browser: word,
});

/** The facts known before anything was counted. */
export const givenShape = shape(
  'version measured calibration assuranceAvailable userAgent declaredCountry respondentKnown respondentStats ownAddress address agent degraded integration stepUps',
  {
    calibration: shape(
      'reviewLow blockThreshold noProbeRiskScore stepUpEnabled stepUpThreshold stepUpIntensityThreshold geoRiskWeights dispositiveSignals newUserPosture verifiedAgentPolicy recalibration',
      { dispositiveSignals: words, newUserPosture: word, verifiedAgentPolicy: word },
    ),
    assuranceAvailable: word,
    degraded: words,
    respondentStats: shape('attempts completes reconciliationRate'),
    address: shape('family range country asn network', { range: word, network: word }),
    agent: shape('outcome agent reason', { outcome: word }),
    integration: shape('unknownFields unhashed probeElsewhere isFixedSession probeState'),
    stepUps: listOf(shape('passed intensity device', { device: sketchShape })),
  },
  ['receiptId', 'scoredAtMs', 'sessionId', 'prefix'],
);

const historyShape = shape('n fraud clawbacks asOfDay young');
/** The reply of the counters store. */
export const countedShape = shape('supersedes device signatureFresh complete history probe counts', {
  supersedes: id('rcpt_'),
  history: shape('respondent source subSource range network study device', {
    respondent: historyShape,
    source: historyShape,
    subSource: historyShape,
    range: historyShape,
    network: historyShape,
    study: historyShape,
    device: historyShape,
  }),
  probe: shape('pages device', { pages: listOf(shape('load update')) }),
  counts: shape(
    'deviceSessionsDay deviceRespondentsDay respondentDay respondentDevicesWeek addressDevicesHour addressRespondentsHour addressSessionsHour prefixSessionsHour prefixSessionsDay sharedAddressHour sharedAddressDay hostPeopleHour source terms candidates neighborhood',
    {
      source: shape('hour mean variance hours'),
      terms: shape('total counts'),
      candidates: listOf(
        shape('session atMs respondent device prefix token address sketch via isRepeat', {
          sketch: sketchShape,
          via: word,
        }),
      ),
      neighborhood: shape('sessions direct linked prefixSessions prefixSquares prefixes'),
    },
  ),
});

/** The core’s result. */
export const outcomeShape = shape('supersedes verdict token', {
  verdict: shape(
    'uncapped caps agentPolicy stepUpThreshold modelVersion score recommendation verdictClass duplicateBand classification independence',
    {
      ...{ caps: words, agentPolicy: word, recommendation: word, verdictClass: word },
      ...{
        duplicateBand: word,
        classification: listOf(shape('code list strength', { code: word, list: word, strength: word })),
      },
    },
  ),
  supersedes: id('rcpt_'),
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
      'ms moves interval turn straight coalesced fineTimes subpixel clicks clickDwell clickSettle clickCentre clickBare pressureZero keys keyDwell keyFlight keyNoCode keyNoShift inputNoKey wheels wheelTicks wheelLies scrolls touches touchForce touchRadius pastes pasteChars untrusted motion keyFineTimes',
    ),
    q: listOf(
      shape('questionId timeOnQuestionMs mouseMoveCount keyCount pasteCount focusEntries focusExits ended text'),
    ),
  }),
  transport: shape('userAgent acceptLanguage hintPlatform hintMobile origin receivedAtMs repeats'),
});

export const sealShape = shape('keyId signature index count path');
