import t from 'tap';
import { createRouteTable } from '../../src/http/error-answers.js';

t.test(
  'an address takes the methods of the routes that match it; a fixed address goes before one with parameters',
  (t) => {
    const table = createRouteTable();
    table.add(['GET', 'HEAD'], '/projects/:projectId');
    table.add('PATCH', '/projects/:projectId');
    table.add('POST', '/projects/provision');
    table.add('GET', '/files/*');
    t.same(table.methodsOf('/projects/p1'), ['GET', 'HEAD', 'PATCH']);
    t.same(table.methodsOf('/projects/p1/'), ['GET', 'HEAD', 'PATCH']);
    t.same(table.methodsOf('/projects/provision'), ['POST']);
    t.same(table.methodsOf('/files/a/b.js'), ['GET']);
    t.same(table.methodsOf('/projects/p1/more'), []);
    t.end();
  },
);
