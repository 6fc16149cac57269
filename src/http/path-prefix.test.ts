import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { addBasePath, prefixOf, withoutPrefix } from './path-prefix.ts'

test('a path prefix is removed once, and only as a whole segment', () => {
  const prefixes = ['/sepia', '/ink/deep']
  for (const [url, expected] of [
    ['/sepia', '/'],
    ['/sepia?x=1', '/?x=1'],
    ['/sepia/', '/'],
    ['/sepia/v1/models?x=/sepia', '/v1/models?x=/sepia'],
    ['/sepia/sepia/v1', '/sepia/v1'],
    ['/ink/deep/v1', '/v1'],
    ['/v1/models', '/v1/models'],
    ['/sepiav1', '/sepiav1'],
    ['/Sepia/v1', '/Sepia/v1'],
    ['/sepia%2fv1', '/sepia%2fv1'],
    ['//sepia/v1', '//sepia/v1'],
    ['/sepia/../v1', '/../v1'],
    ['/other/sepia/v1', '/other/sepia/v1'],
    ['*', '*'],
  ] as const)
    assert.equal(withoutPrefix(url, prefixes), expected, url)
  assert.equal(withoutPrefix('/v1', ['']), '/v1')
  assert.deepEqual(['https://a.test', 'https://a.test/', 'https://a.test/ink'].map(prefixOf), ['', '', '/ink'])
})

test('pages and redirects get the prefix; other responses stay unchanged', async () => {
  const server = fastify()
  addBasePath(server, '/ink')
  const page =
    '<a href="/docs">a</a><img src=\'/x.png\'><form action="/go"><a href="//other.test/">b</a><a href="https://c.test/">c</a><p title="/no">/no</p>'
  server.get('/page', (_, reply) => reply.type('text/html; charset=utf-8').header('etag', '"x"').send(page))
  server.get('/data', (_, reply) => reply.type('application/json').send('{"href":" href=\\"/docs\\""}'))
  server.get('/packed', (_, reply) => reply.type('text/html').header('content-encoding', 'br').send(Buffer.from(' href="/docs"')))
  server.get('/away', (_, reply) => reply.redirect('/console'))
  server.get('/out', (_, reply) => reply.redirect('https://c.test/x'))
  server.get('/sly', (_, reply) => reply.redirect('//c.test/x'))
  const answer = await server.inject('/page')
  assert.equal(
    answer.body,
    '<a href="/ink/docs">a</a><img src=\'/ink/x.png\'><form action="/ink/go"><a href="//other.test/">b</a><a href="https://c.test/">c</a><p title="/no">/no</p>',
  )
  assert.deepEqual([answer.headers.etag, answer.headers['content-length']], [undefined, String(answer.body.length)])
  assert.equal((await server.inject('/data')).body, '{"href":" href=\\"/docs\\""}')
  assert.equal((await server.inject('/packed')).body, ' href="/docs"')
  assert.equal((await server.inject('/away')).headers.location, '/ink/console')
  assert.equal((await server.inject('/out')).headers.location, 'https://c.test/x')
  assert.equal((await server.inject('/sly')).headers.location, '//c.test/x')
})
