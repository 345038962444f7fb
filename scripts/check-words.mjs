// Refuses words, names and beginnings of comments that docs/internals/words.md replaces by others, in code, texts, examples and deployment files.
// Usage: node scripts/check-words.mjs [root]. Prints a line for each, and exits with 1.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readWordTables } from './word-tables.mjs';

const folders = ['src', 'workers', 'sdk', 'bench', 'research', 'console', 'examples', 'deploy', 'scripts'];
/** Only beginnings of comments are checked here. */
const foldersOfComments = ['test'];
const skippedFolders = new Set(['node_modules', 'dist']);
const skippedFiles = /\.(json|svg|png)$|^check-words\.mjs$/;
const allowedMax = 20;

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const readTable = readWordTables(root);
const words = readTable('Words to replace');
const textWords = readTable('Words to replace in texts');
const names = readTable('Names to replace');
const beginnings = readTable('Beginnings of comments');
const { folders: uncleanFolders, occurrences: allowed } = JSON.parse(
  readFileSync(join(root, 'scripts/allowed-words.json'), 'utf8'),
);

const found = [
  ...checkFolders(folders, (line, file) => [...checkLine(line), ...checkComment(line, file)]),
  ...checkFolders(foldersOfComments, checkComment),
];
const problems = found.filter((one) => !isAllowed(one)).map(({ at, text, write }) => `${at}  ${text}: write ${write}`);
for (const { file, word } of allowed)
  if (!found.some((one) => one.file === file && one.text === word))
    problems.push(`scripts/allowed-words.json  ${word} in ${file} is not used: delete the entry`);
const allowedCount = found.filter(isAllowed).length;
if (allowedCount >= allowedMax)
  problems.push(`scripts/allowed-words.json  allows ${allowedCount} occurrences; fewer than ${allowedMax} may be`);
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isUnclean = uncleanFolders.includes(relative(root, path));
    if (entry.isDirectory() && !skippedFolders.has(entry.name) && !isUnclean) yield* filesBelow(path);
    else if (entry.isFile() && !skippedFiles.test(entry.name)) yield path;
  }
}

function checkFolders(names, check) {
  return names.flatMap((name) => [...filesBelow(join(root, name))].flatMap((path) => checkFile(path, check)));
}

function checkFile(path, check) {
  const content = readFileSync(path, 'utf8');
  if (content.includes('\0')) return [];
  const file = relative(root, path);
  return content
    .split('\n')
    .flatMap((line, index) => check(line, file).map((one) => ({ ...one, file, at: `${file}:${index + 1}` })));
}

function checkLine(line) {
  const identifiers = line.match(/[A-Za-z][A-Za-z0-9]*/g) ?? [];
  const code = codeOf(line);
  return [
    ...identifiers
      .flatMap(partsOf)
      .filter((part) => words.has(part))
      .map((part) => ({ text: part, write: words.get(part) })),
    ...[...words]
      .filter(([text]) => text.includes(' ') && line.toLowerCase().includes(text))
      .map(([text, write]) => ({ text, write })),
    ...[...textWords]
      .filter(([text]) => textsOf(line).some((one) => new RegExp(`\\b${text}\\b`, 'i').test(one)))
      .map(([text, write]) => ({ text, write })),
    ...[...names]
      .filter(([name]) => new RegExp(`\\b${name}\\b`).test(isPlainWord(name) ? code : line))
      .map(([text, write]) => ({ text, write })),
  ];
}

function checkComment(line, file) {
  const beginning = file.endsWith('.md') ? undefined : beginningOfComment(line);
  if (!beginnings.has(beginning)) return [];
  return [{ text: `comment that begins with ${beginning}`, write: beginnings.get(beginning) }];
}

/** The first word of a comment, or of a line of one; questions are free. */
function beginningOfComment(line) {
  return /^\s*(?:\/\*\*?|\*|\/\/|--|#) ([A-Z][a-z]+) .*[^?\s]\s*$/.exec(line.replace(/\*\/\s*$/, ''))?.[1];
}

/** Texts of two words or more between quotes, so far as one line shows them. */
function textsOf(line) {
  if (/^\s*(\*|\/\*|\/\/|--|#)/.test(line)) return [];
  const code = line.replace(/\/\*.*?\*\/|\s\/\/.*$/g, '');
  return [...code.matchAll(/(['"`])((?:(?!\1).)*\s(?:(?!\1).)*)\1/g)].map(([, , text]) => text);
}

/** Words of an identifier, in small letters: tellLoss gives tell and loss. */
function partsOf(identifier) {
  return (identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((part) => part.toLowerCase());
}

/** A name that prose may use in its usual sense; it is refused in code only. */
function isPlainWord(name) {
  return /^[A-Z]?[a-z]+$/.test(name);
}

/** The line without its comments and texts, so far as one line shows them. */
function codeOf(line) {
  if (/^\s*(\*|\/\*|\/\/|--|<)/.test(line)) return '';
  return line.replace(/'[^']*'|"[^"]*"|`[^`]*`|\/\*.*?\*\/|\/\/.*$|--.*$/g, '');
}

function isAllowed({ file, text }) {
  return allowed.some((one) => one.file === file && one.word === text);
}
