/** Dashboards of Grafana, by their paths in the repository. `npm run reference` writes them. */
import { capacity } from './capacity.js';
import { renderBoard, type Board } from './panel.js';
import { scoring } from './scoring.js';
import { stores } from './stores.js';
import { verification } from './verification.js';
import { webhooks } from './webhooks.js';

export const boards: readonly Board[] = [scoring, stores, webhooks, verification, capacity];

export const renderBoards = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    boards.map((board) => [
      `deploy/grafana/dashboards/${board.name}.json`,
      `${JSON.stringify(renderBoard(board), null, 2)}\n`,
    ]),
  );
