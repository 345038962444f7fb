-- Suppliers, studies of the audience API, their quotas, and the places that respondents hold in them.

CREATE TABLE suppliers (
  supplier_id     text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  -- Test keys have suppliers of their own.
  is_test         boolean NOT NULL,
  name            text NOT NULL,
  source_id       text NOT NULL,
  -- Whose key reads what is open for the supplier.
  project_id      text REFERENCES projects,
  redirects       jsonb NOT NULL,
  postback_url    text,
  -- The secret under a key that derives from the master key; a replaced one stays valid until it ends.
  sealed          bytea NOT NULL,
  previous_sealed bytea,
  previous_until  timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, is_test, source_id)
);
CREATE INDEX suppliers_by_organization ON suppliers (organization_id, supplier_id);

-- The counts are those of study_places, written in the same transactions, each of which locks the study first: that is what makes a place
-- taken once, however many instances hand them out.
CREATE TABLE studies (
  study_id        text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  -- The lineage of the key that created it, which may read the evidence of its scores.
  lineage         text NOT NULL,
  is_test         boolean NOT NULL,
  name            text NOT NULL,
  survey_url      text NOT NULL,
  countries       text[] NOT NULL,
  language        text NOT NULL,
  sample_size     integer NOT NULL CHECK (sample_size > 0),
  service_check   boolean NOT NULL,
  minimum_quality text NOT NULL CHECK (minimum_quality IN ('standard', 'strict')),
  -- perAddress, perDevice and heldPerSupplier, as far as the owner set them.
  limits          jsonb NOT NULL DEFAULT '{}',
  status          text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'fielding', 'paused', 'completed', 'cancelled')),
  -- Suppliers that may send; empty: any of the organization.
  supplier_ids    text[] NOT NULL DEFAULT '{}',
  entry           text NOT NULL CHECK (entry IN ('signed', 'open')),
  -- A complete counts by the survey's confirmation, or by the browser's return.
  returns         text NOT NULL CHECK (returns IN ('confirmed', 'browser')),
  minimum_seconds integer NOT NULL CHECK (minimum_seconds >= 0),
  -- The survey's key, sealed like those of suppliers.
  sealed          bytea NOT NULL,
  previous_sealed bytea,
  previous_until  timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  entered         integer NOT NULL DEFAULT 0,
  -- Labels of open links that study_tallies counts apart.
  sources         integer NOT NULL DEFAULT 0,
  -- Places held now (waiting for verification, in the survey, or completed), and where else respondents are.
  held               integer NOT NULL DEFAULT 0 CHECK (held >= 0),
  verifying          integer NOT NULL DEFAULT 0 CHECK (verifying >= 0),
  surveying          integer NOT NULL DEFAULT 0 CHECK (surveying >= 0),
  released           integer NOT NULL DEFAULT 0 CHECK (released >= 0),
  terminated         integer NOT NULL DEFAULT 0 CHECK (terminated >= 0),
  verified           integer NOT NULL DEFAULT 0 CHECK (verified >= 0),
  completed          integer NOT NULL DEFAULT 0 CHECK (completed >= 0),
  unconfirmed        integer NOT NULL DEFAULT 0 CHECK (unconfirmed >= 0),
  too_fast           integer NOT NULL DEFAULT 0 CHECK (too_fast >= 0),
  reversed           integer NOT NULL DEFAULT 0 CHECK (reversed >= 0),
  same_device        integer NOT NULL DEFAULT 0 CHECK (same_device >= 0),
  same_address       integer NOT NULL DEFAULT 0 CHECK (same_address >= 0),
  same_network       integer NOT NULL DEFAULT 0 CHECK (same_network >= 0),
  screened_full         integer NOT NULL DEFAULT 0 CHECK (screened_full >= 0),
  screened_duplicate    integer NOT NULL DEFAULT 0 CHECK (screened_duplicate >= 0),
  screened_gate         integer NOT NULL DEFAULT 0 CHECK (screened_gate >= 0),
  screened_verification integer NOT NULL DEFAULT 0 CHECK (screened_verification >= 0),
  screened_country      integer NOT NULL DEFAULT 0 CHECK (screened_country >= 0),
  screened_limit        integer NOT NULL DEFAULT 0 CHECK (screened_limit >= 0)
);
CREATE INDEX studies_by_organization ON studies (organization_id, study_id);
CREATE INDEX studies_open ON studies (organization_id, study_id) WHERE status = 'fielding';

CREATE TABLE study_quotas (
  study_id        text NOT NULL REFERENCES studies ON DELETE CASCADE,
  position        integer NOT NULL,
  organization_id text NOT NULL,
  name            text NOT NULL,
  -- null: no condition.
  country         text,
  gender          text,
  age_min         integer,
  age_max         integer,
  profession      text,
  most            integer NOT NULL,
  held            integer NOT NULL DEFAULT 0 CHECK (held >= 0),
  verified        integer NOT NULL DEFAULT 0 CHECK (verified >= 0),
  completed       integer NOT NULL DEFAULT 0 CHECK (completed >= 0),
  PRIMARY KEY (study_id, position)
);

-- Quotas with new conditions while they are counted from the kinds of respondents, in the order of their ids; those up to counted_to are in.
CREATE TABLE study_quota_drafts (
  draft_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  study_id        text NOT NULL REFERENCES studies ON DELETE CASCADE,
  organization_id text NOT NULL,
  country         text,
  gender          text,
  age_min         integer,
  age_max         integer,
  profession      text,
  held            integer NOT NULL DEFAULT 0 CHECK (held >= 0),
  verified        integer NOT NULL DEFAULT 0 CHECK (verified >= 0),
  completed       integer NOT NULL DEFAULT 0 CHECK (completed >= 0),
  counted_to      bigint NOT NULL DEFAULT 0,
  UNIQUE NULLS NOT DISTINCT (study_id, country, gender, age_min, age_max, profession)
);

-- How many places each kind of respondent holds: what a quota with other conditions begins with. Kept up with the counts of studies and quotas.
CREATE TABLE study_kinds (
  kind_id         bigint GENERATED ALWAYS AS IDENTITY,
  study_id        text NOT NULL REFERENCES studies ON DELETE CASCADE,
  organization_id text NOT NULL,
  country         text,
  gender          text,
  age             integer,
  profession      text,
  held            integer NOT NULL,
  verified        integer NOT NULL,
  completed       integer NOT NULL DEFAULT 0,
  PRIMARY KEY (study_id, kind_id),
  UNIQUE NULLS NOT DISTINCT (study_id, country, gender, age, profession)
);

--   entering ──the gate──▶ screened
--      └──▶ verifying ──▶ surveying ──▶ completed | terminated
--               └────────────┴──its time is over──▶ released ──back, and there is room──▶ surveying | completed
--     completed ──its complete is rejected──▶ terminated ──the rejection is withdrawn──▶ completed
CREATE TABLE study_places (
  place_id        text PRIMARY KEY,
  study_id        text NOT NULL REFERENCES studies,
  organization_id text NOT NULL,
  project_id      text NOT NULL,
  respondent_id   text NOT NULL,
  source_id       text NOT NULL,
  -- null: of no supplier; source_id is a label that the link gives itself.
  supplier_id     text,
  -- signed: the supplier's signature proves the respondent_id.
  entry           text NOT NULL CHECK (entry IN ('signed', 'open')),
  -- Keyed hash of the respondent within the project: scoring knows them by it. For a signed entry it covers the supplier too.
  respondent_ref  text NOT NULL,
  state           text NOT NULL CHECK (state IN ('entering', 'screened', 'verifying', 'surveying', 'completed', 'terminated', 'released')),
  -- Why, where screened: gate, duplicate, country, verification, or full and limit, which are looked at again when they come back.
  screened_for    text,
  verified        boolean NOT NULL DEFAULT false,
  -- Whether its complete counts.
  counted         boolean NOT NULL DEFAULT false,
  -- Whether it ever did.
  has_counted     boolean NOT NULL DEFAULT false,
  -- Known traits; null: unknown.
  country         text,
  gender          text,
  age             integer,
  profession      text,
  -- Keyed hashes of who took the place: the browser, the address (or /64), and of IPv6 the /48. null: took none yet, or not known.
  device_ref      text,
  address_ref     text,
  network_ref     text,
  -- The session as scoring knows it: a keyed hash of place_id. null: the gate never looked.
  session_ref     text,
  -- The visit that the gate is judging, and how long others take it for one that may get in.
  judging         text,
  judging_until   timestamptz,
  -- The result of the score.
  score           integer,
  recommendation  text,
  -- The foremost finding against the respondent.
  reason          text,
  duplicate_band  text,
  -- The visits, as scoring knows them, that it repeats while the gate was judging these; null: none, or it repeats another place besides.
  repeats         text[],
  receipt_id      text,
  -- The hosted verification and its token.
  link_id         text,
  token           text,
  token_until     timestamptz,
  entered_at      timestamptz NOT NULL DEFAULT now(),
  -- When the respondent was first sent to the survey.
  surveyed_at     timestamptz(3),
  -- When a place that has not come back is free again.
  due_at          timestamptz,
  -- To the millisecond, like the time of outcome events.
  returned_at     timestamptz(3),
  -- The strongest word so far: of the browser alone, of the survey, of the study's owner, or of the owner who withdrew their own return.
  returned_by     text CHECK (returned_by IN ('browser', 'survey', 'owner', 'withdrawal')),
  completion      text CHECK (completion IN ('confirmed', 'unconfirmed', 'too_fast', 'reversed')),
  -- Why the survey or the owner refused the interview; null: it did not.
  refused_for     text CHECK (refused_for IN ('fit', 'quality', 'fraud', 'unknown')),
  -- The current rejection of the complete (null: none), the time of the last one by a dispute or a return, and the completion that a withdrawal restores.
  reversed_by     text CHECK (reversed_by IN ('dispute', 'return', 'outcome')),
  reversed_at     timestamptz(3),
  reversed_from   text CHECK (reversed_from IN ('confirmed', 'unconfirmed', 'too_fast', 'fit', 'quality')),
  -- Sample or quotas had no room for the complete when the rejection was withdrawn.
  above_sample    boolean NOT NULL DEFAULT false,
  -- The buyer's note.
  reversal_note   text,
  outcome_due     boolean NOT NULL DEFAULT false,
  -- The last status that a postback reported, and whether the next round looks again.
  exit_status     text,
  exit_due        boolean NOT NULL DEFAULT false,
  -- The supplier does not know the last status, because the respondent was erased.
  unsent          boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX study_places_one_each ON study_places (study_id, respondent_ref);
CREATE INDEX study_places_by_study ON study_places (study_id, place_id);
CREATE INDEX study_places_held ON study_places (study_id, supplier_id, source_id) WHERE state IN ('verifying', 'surveying') OR completion IN ('unconfirmed', 'too_fast');
CREATE INDEX study_places_due ON study_places (due_at) WHERE state IN ('verifying', 'surveying');
CREATE INDEX study_places_outcomes ON study_places (returned_at) WHERE outcome_due;
CREATE INDEX study_places_exits ON study_places (organization_id, place_id) WHERE exit_due;
CREATE INDEX study_places_unsent ON study_places (study_id) WHERE unsent;
CREATE INDEX study_places_above ON study_places (study_id) WHERE above_sample;
CREATE INDEX study_places_by_respondent ON study_places (project_id, respondent_id);
CREATE INDEX study_places_by_age ON study_places (entered_at);
CREATE INDEX study_places_sessions ON study_places (study_id, session_ref) WHERE session_ref IS NOT NULL;

-- The counts of a study again, by supplier (empty: none), source and day of the entry in UTC: a report reads these, and no places.
CREATE TABLE study_tallies (
  study_id           text NOT NULL REFERENCES studies ON DELETE CASCADE,
  supplier_id        text NOT NULL,
  -- The label of an open link; empty: of a supplier, or of one label more than a study counts apart.
  source_id          text NOT NULL,
  day                date NOT NULL,
  organization_id    text NOT NULL,
  entered            integer NOT NULL DEFAULT 0,
  held               integer NOT NULL DEFAULT 0 CHECK (held >= 0),
  verifying          integer NOT NULL DEFAULT 0 CHECK (verifying >= 0),
  surveying          integer NOT NULL DEFAULT 0 CHECK (surveying >= 0),
  released           integer NOT NULL DEFAULT 0 CHECK (released >= 0),
  terminated         integer NOT NULL DEFAULT 0 CHECK (terminated >= 0),
  verified           integer NOT NULL DEFAULT 0 CHECK (verified >= 0),
  completed          integer NOT NULL DEFAULT 0 CHECK (completed >= 0),
  unconfirmed        integer NOT NULL DEFAULT 0 CHECK (unconfirmed >= 0),
  too_fast           integer NOT NULL DEFAULT 0 CHECK (too_fast >= 0),
  reversed           integer NOT NULL DEFAULT 0 CHECK (reversed >= 0),
  same_device        integer NOT NULL DEFAULT 0 CHECK (same_device >= 0),
  same_address       integer NOT NULL DEFAULT 0 CHECK (same_address >= 0),
  same_network       integer NOT NULL DEFAULT 0 CHECK (same_network >= 0),
  screened_full         integer NOT NULL DEFAULT 0 CHECK (screened_full >= 0),
  screened_duplicate    integer NOT NULL DEFAULT 0 CHECK (screened_duplicate >= 0),
  screened_gate         integer NOT NULL DEFAULT 0 CHECK (screened_gate >= 0),
  screened_verification integer NOT NULL DEFAULT 0 CHECK (screened_verification >= 0),
  screened_country      integer NOT NULL DEFAULT 0 CHECK (screened_country >= 0),
  screened_limit        integer NOT NULL DEFAULT 0 CHECK (screened_limit >= 0),
  -- Completes that count, by bucket of their time in the survey.
  seconds            jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (study_id, supplier_id, source_id, day)
);

-- Claims on places in a study: a browser, an address (or /64), a /48 of IPv6, each as the keyed hash of study_places.
CREATE TABLE study_claimants (
  study_id        text NOT NULL REFERENCES studies ON DELETE CASCADE,
  kind            text NOT NULL CHECK (kind IN ('device', 'address', 'network')),
  ref             text NOT NULL,
  organization_id text NOT NULL,
  places          integer NOT NULL,
  completed       integer NOT NULL DEFAULT 0,
  PRIMARY KEY (study_id, kind, ref)
);
CREATE INDEX study_claimants_of_many ON study_claimants (study_id, places DESC) WHERE places > 1;

-- Visits by links that opened nothing. No foreign key: anyone may send such links, and the key would lock the row of the study, which entries need.
CREATE TABLE study_refused_links (
  study_id        text NOT NULL,
  -- The supplier that src names; empty: none.
  supplier_id     text NOT NULL,
  reason          text NOT NULL,
  organization_id text NOT NULL,
  visits          bigint NOT NULL,
  last_at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (study_id, supplier_id, reason)
);

CALL isolate_organizations('suppliers', 'studies', 'study_quotas', 'study_quota_drafts', 'study_kinds', 'study_places', 'study_tallies', 'study_claimants', 'study_refused_links');
