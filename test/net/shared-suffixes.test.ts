import t from 'tap';
import { isSharedSuffix } from '../../src/net/origin-pattern.js';

t.test('domains that hand out names to strangers are told from domains of one owner', (t) => {
  for (const domain of [
    'co.uk',
    'com.au',
    'ac.jp',
    'github.io',
    'vercel.app',
    's3.amazonaws.com',
    'execute-api.eu-west-1.amazonaws.com',
    'eastus.cloudapp.azure.com',
    'ngrok-free.app',
    'com',
    'example',
    'netlify.com',
    'nip.io',
    'amazonaws.com',
    'azure.com',
    'blob.core.windows.net',
    'xn--55qx5d.cn',
    'kawasaki.jp',
    'x.kawasaki.jp',
    'compute.estate',
    'x.compute.estate',
  ]) {
    t.equal(isSharedSuffix(domain), true, domain);
  }
  for (const domain of [
    'example.com',
    'id.me',
    'example.co.uk',
    'mine.github.io',
    'aws.com',
    'notamazonaws.com',
    'panel.research',
    'co.example',
    'city.kawasaki.jp',
    'www.ck',
    'my_site.github.io',
  ]) {
    t.equal(isSharedSuffix(domain), false, domain);
  }
  t.end();
});
