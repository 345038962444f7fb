import t from 'tap';
import { readOperatorCommand } from '../../../src/projects/operator/operator-command.js';

const read = (line: string): unknown => readOperatorCommand(line.split(' ').filter((word) => word !== ''));

t.test('each command is read into what it asks for', (t) => {
  t.same(read('create-organization --name N'), {
    command: 'create-organization',
    name: 'N',
    tier: 'free',
    liteEnabled: true,
  });
  t.same(read('create-organization --name N --tier enterprise --lite off'), {
    command: 'create-organization',
    name: 'N',
    tier: 'enterprise',
    liteEnabled: false,
  });
  t.match(read('create-key --org o --project p --test --expires-in-days 30'), {
    command: 'create-key',
    organizationId: 'o',
    projectId: 'p',
    isTest: true,
    expiresInDays: 30,
  });
  t.match(read('create-key --org o'), { projectId: null, isTest: false, expiresInDays: null });
  t.match(read('enable-lite --org o'), { liteEnabled: true });
  t.match(read('enable-lite --org o --off'), { liteEnabled: false });
  t.match(read('set-quota --org o --monthly 5000'), { monthlyQuota: 5_000 });
  t.match(read('set-quota --org o --monthly none'), { monthlyQuota: null });
  t.match(read('trial --org o --ends 2027-01-31'), { trialEndsAt: '2027-01-31T00:00:00.000Z' });
  t.match(read('trial --org o --none'), { trialEndsAt: null });
  t.same(read('explain rcpt_1'), { command: 'explain', receiptId: 'rcpt_1', facts: false });
  t.same(read('explain --facts rcpt_1'), { command: 'explain', receiptId: 'rcpt_1', facts: true });
  t.same(read('retention --allow receipts --before 2026-01-31'), {
    command: 'retention',
    allow: 'receipts',
    before: '2026-01-31T00:00:00.000Z',
  });
  t.same(read('retention'), { command: 'retention', allow: null, before: null });
  t.same(read('restored --backup 2026-06-01T12:00:00Z'), { command: 'restored', backupAt: '2026-06-01T12:00:00.000Z' });
  t.throws(() => read('restored'), { message: /--backup/ });
  t.same(read('dead-letters'), { command: 'dead-letters', play: false, group: null });
  t.same(read('dead-letters --play --group receipts'), { command: 'dead-letters', play: true, group: 'receipts' });
  t.same(read('replay facts.json'), { command: 'replay', file: 'facts.json' });
  t.end();
});

t.test('a mistake is told with the right form', (t) => {
  for (const [line, message] of [
    ['', /The command is missing.[^]*create-organization --name/],
    ['creat-key --org o', /did you mean create-key\?/],
    ['create-organization', /--name N/],
    ['create-organization --name N --tier gold', /free\|starter/],
    ['create-organization --name N --lite maybe', /on or off/],
    ['create-key --org o --expires-in-days 366', /1-365/],
    ['create-key --org o --expires-in-days soon', /1-365/],
    ['create-key --org o --expires 5', /Unknown option/],
    ['restored --backup 2026-06-01T12:00:00', /takes a date, or a time with its zone/],
    ['set-tier --tier free', /--org ID/],
    ['set-quota --org o', /--monthly/],
    ['set-quota --org o --monthly -5', /--monthly/],
    ['trial --org o', /either/],
    ['trial --org o --none --ends 2027-01-01', /either/],
    ['trial --org o --ends tomorrow', /date/],
    ['trial --org o --ends 2027-02-30', /date/],
    ['retention --allow receipts --before 2026-02-29T10:00:00Z', /date/],
    ['restored --backup 2026-13-01', /date/],
    ['explain', /one receipt.*explain RECEIPT/s],
    ['explain a b', /one receipt/],
    ['explain a --fact', /Unknown option/],
    ['replay', /one file/],
  ] as const) {
    t.throws(() => read(line), { message }, line);
  }
  t.end();
});
