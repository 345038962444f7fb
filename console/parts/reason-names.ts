/** A finding as lists name it. */
import { findingNames } from '../../src/contract/finding-names.js';
import { readable } from './words.js';

export const reasonName = (code: string): string => findingNames[code] ?? readable(code);
