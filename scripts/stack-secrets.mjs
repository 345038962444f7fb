// Secrets of a secure stack: a certificate for 127.0.0.1, and one name with a password. For tests only.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const username = 'verifyhuman';
const password = 'only-for-tests';

/** Makes them where they are missing. `both` holds key and certificate in one file, as Kafka wants them. */
export function makeSecrets(directory) {
  mkdirSync(directory, { recursive: true });
  const [key, certificate, both] = ['key.pem', 'certificate.pem', 'both.pem'].map((name) => join(directory, name));
  if (!existsSync(both)) {
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-keyout', key, '-out', certificate, ...subject],
      { stdio: 'ignore' },
    );
    chmodSync(certificate, 0o644);
    writeFileSync(both, readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'), { mode: 0o600 });
  }
  return { username, password, key, certificate, both };
}
