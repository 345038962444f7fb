/**
 * The faces of all participations in memory, one gallery for each model and dimension; models are never mixed. A template lies in the cell of
 * its project, study, data collector and evidence, so that what is compared with what is decided when it is asked.
 */
import type { FaceModels } from './face-models.js';
import { directionOf } from './embedding.js';
import type { FaceScope, Fingerprint, ModelName } from './fingerprint-store.js';
import { createEncoder } from './scan/encoder.js';
import { createGallery } from './scan/gallery.js';
import { layoutFor } from './scan/layout.js';

export type FaceIndex = ReturnType<typeof createFaceIndex>;

type Cell = Pick<Fingerprint, 'studyId' | 'dataCollector' | 'evidenceRank'>;

export interface FaceIndexDeps {
  readonly models: FaceModels;
  readonly randomBytes: (count: number) => Uint8Array;
}

export function createFaceIndex({ models, randomBytes }: FaceIndexDeps) {
  const held = new Map<string, ReturnType<typeof openModel>>();
  const nameOf = ({ model, dimension }: ModelName): string => `${model}\n${dimension}`;

  function openModel({ dimension }: ModelName) {
    const layout = layoutFor(dimension);
    /** Cells that are known of each project, by their names. */
    const cells = new Map<string, Map<string, Cell>>();
    return { gallery: createGallery(layout), encoder: createEncoder(layout, randomBytes), cells };
  }

  return {
    /** null where no template of the model was ever filed. */
    find(name: ModelName) {
      const found = held.get(nameOf(name));
      if (found === undefined) return null;
      const { gallery, encoder, cells } = found;
      return {
        gallery,
        encode: (direction: Float32Array) => encoder.encode(direction),
        /** The cells of a scope. */
        cellsOf: (scope: FaceScope) => {
          const { studyId, dataCollector, evidenceRankMin } = scope;
          const isIn = (cell: Cell): boolean =>
            (studyId === undefined || cell.studyId === studyId) &&
            (dataCollector === undefined || cell.dataCollector === dataCollector) &&
            cell.evidenceRank >= evidenceRankMin;
          return scope.projectIds.flatMap((projectId) =>
            [...(cells.get(projectId) ?? [])].flatMap(([name, cell]) => (isIn(cell) ? [name] : [])),
          );
        },
      };
    },
    /** Files a participation, or takes it out where `found` is null; one whose face cannot be used is passed over. */
    put(number: number, found: Fingerprint | null): void {
      if (found === null) {
        for (const { gallery } of held.values()) if (gallery.remove(number)) return;
        return;
      }
      const { face, projectId, studyId, dataCollector, evidenceRank, completedAtMs } = found;
      const model = face === null ? null : models(face.model, face.dimension);
      const direction = face === null || model === null ? null : directionOf(face.raw, model);
      if (face === null || !(direction instanceof Float32Array)) return;
      const opened = held.get(nameOf(face)) ?? openModel(face);
      held.set(nameOf(face), opened);
      const { gallery, encoder, cells } = opened;
      const name = JSON.stringify([projectId, studyId, dataCollector, evidenceRank]);
      const known = cells.get(projectId) ?? new Map<string, Cell>();
      cells.set(projectId, known.set(name, { studyId, dataCollector, evidenceRank }));
      const seconds = Math.floor(completedAtMs / 1_000);
      gallery.add(name, number, encoder.encode(direction), seconds);
    },
    galleries: () => [...held.values()].map(({ gallery }) => gallery),
    size: () => [...held.values()].reduce((sum, { gallery }) => sum + gallery.size(), 0),
    bytes: () => [...held.values()].reduce((sum, { gallery }) => sum + gallery.bytes(), 0),
  };
}
