/** Postbacks: what the server of a supplier is sent of its respondents. They are delivered as the events of webhooks are. */
import { eventTypes, type EventOf, type SessionEvent } from './session-event.js';
import type { EntryMode } from './study.js';
import type { ExitStatus } from './supplier.js';

export const postbackType = 'place.ended';
export const deliveredTypes = [...eventTypes, postbackType] as const;
export type DeliveredType = (typeof deliveredTypes)[number];

/** The status of a place. It changes if a respondent returns or a complete is rejected. */
export type PlaceStatus = Exclude<ExitStatus, 'finished'> | 'reversed';

/** sessionId is the place. */
export interface PostbackEvent extends EventOf<
  typeof postbackType,
  {
    readonly study_id: string;
    readonly place_id: string;
    readonly rid: string;
    readonly status: PlaceStatus;
    readonly entry: EntryMode;
  }
> {
  /** Values of the placeholders in the supplier’s address. */
  readonly placeholders: Readonly<Record<string, string>>;
}

/** A place, and the supplier that its postbacks go to. */
export interface PostbackPlace {
  readonly supplierId: string;
  readonly projectId: string;
  readonly place: string;
}

/** A place of which a postback has not arrived, as far as is noted. */
export interface WaitingPostback {
  readonly place: string;
  /** The last status that arrived; null: none. */
  readonly arrived: PlaceStatus | null;
}

/** A status that the supplier has taken. */
export interface ArrivedPostback {
  readonly place: string;
  readonly status: PlaceStatus;
}

export type DeliveredEvent = SessionEvent | PostbackEvent;
