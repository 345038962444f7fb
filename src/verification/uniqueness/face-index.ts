/**
 * The faces of all participations in memory, one gallery for each model and dimension; models are never mixed. A template lies in the cell of
 * its project and data collector, so that what is compared with what is decided when it is asked.
 */
import type { FaceModels } from './face-models.js';
import { directionOf } from './embedding.js';
import type { Fingerprint, ModelName, Scope } from './fingerprint-store.js';
import { createEncoder, type EncodedTemplate, type Encoder } from './scan/encoder.js';
import { createGallery, type Gallery } from './scan/gallery.js';
import { layoutFor } from './scan/layout.js';

export interface ModelIndex {
  readonly gallery: Gallery;
  encode(direction: Float32Array): EncodedTemplate;
  /** The cells of a scope. */
  cellsOf(scope: Scope): readonly string[];
}

export interface FaceIndex {
  /** null where no template of the model was ever filed. */
  find(model: ModelName): ModelIndex | null;
  /** Files a participation, or takes it out where `found` is null; one whose face cannot be used is passed over. */
  put(number: number, found: Fingerprint | null): void;
  size(): number;
  bytes(): number;
}

interface Held {
  readonly gallery: Gallery;
  readonly encoder: Encoder;
  /** Collectors that are known of each project. */
  readonly collectors: Map<string, Set<string | null>>;
}

const cellOf = (projectId: string, collector: string | null): string => JSON.stringify([projectId, collector]);

export interface FaceIndexDeps {
  readonly models: FaceModels;
  readonly randomBytes: (count: number) => Uint8Array;
}

export function createFaceIndex({ models, randomBytes }: FaceIndexDeps): FaceIndex {
  const held = new Map<string, Held>();
  const nameOf = ({ model, dimension }: ModelName): string => `${model}\n${dimension}`;

  function open(name: ModelName): Held {
    const known = held.get(nameOf(name));
    if (known !== undefined) return known;
    const layout = layoutFor(name.dimension);
    const opened = {
      gallery: createGallery(layout),
      encoder: createEncoder(layout, randomBytes),
      collectors: new Map<string, Set<string | null>>(),
    };
    held.set(nameOf(name), opened);
    return opened;
  }

  return {
    find(name) {
      const found = held.get(nameOf(name));
      if (found === undefined) return null;
      const { gallery, encoder, collectors } = found;
      return {
        gallery,
        encode: (direction) => encoder.encode(direction),
        cellsOf: ({ projectIds, dataCollector }) =>
          projectIds.flatMap((projectId) =>
            dataCollector === undefined
              ? [...(collectors.get(projectId) ?? [])].map((collector) => cellOf(projectId, collector))
              : [cellOf(projectId, dataCollector)],
          ),
      };
    },
    put(number, found) {
      if (found === null) {
        for (const { gallery } of held.values()) if (gallery.remove(number)) return;
        return;
      }
      const { face, projectId, dataCollector, completedAtMs } = found;
      const model = face === null ? null : models(face.model, face.dimension);
      const direction = face === null || model === null ? null : directionOf(face.raw, model);
      if (face === null || !(direction instanceof Float32Array)) return;
      const { gallery, encoder, collectors } = open(face);
      const known = collectors.get(projectId);
      if (known === undefined) collectors.set(projectId, new Set([dataCollector]));
      else known.add(dataCollector);
      const seconds = Math.floor(completedAtMs / 1_000);
      gallery.add(cellOf(projectId, dataCollector), number, encoder.encode(direction), seconds);
    },
    size: () => [...held.values()].reduce((sum, { gallery }) => sum + gallery.size(), 0),
    bytes: () => [...held.values()].reduce((sum, { gallery }) => sum + gallery.bytes(), 0),
  };
}
