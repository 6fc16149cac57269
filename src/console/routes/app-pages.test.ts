import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
import type { AppFile } from '../bundle/app-files.ts'
import { registerAppPages } from './app-pages.ts'

const file = (text: string, compressed = false): AppFile => ({
  contentType: 'text/plain',
  plain: Buffer.from(text),
  brotli: compressed ? Buffer.from('brotli') : null,
  gzip: compressed ? Buffer.from('gzip') : null,
  etag: `"${text}"`,
})
const built = new Map([
  ['index.html', file('page')],
  ['assets/a.js', file('script', true)],
])

function serve(files: ReadonlyMap<string, AppFile> | null, publicUrl = 'http://sepia.test') {
  const server = fastify()
  registerAppPages(server, { files: async () => files }, { addresses: () => ({ publicUrl }) })
  return server
}

test('every address of the console returns the same page, revalidated each time', async () => {
  for (const url of ['/', '/console', '/console/requests/7']) {
    const { body, headers } = await serve(built).inject(url)
    assert.equal(body, 'page')
    assert.equal(headers['cache-control'], 'no-cache')
  }
})

test('assets are cached forever and sent in the best encoding the browser accepts', async () => {
  const get = (encoding: string) => serve(built).inject({ url: '/console/assets/a.js', headers: { 'accept-encoding': encoding } })
  assert.equal((await get('gzip, deflate, br')).body, 'brotli')
  assert.equal((await get('gzip')).headers['content-encoding'], 'gzip')
  assert.equal((await get('')).body, 'script')
  assert.match(String((await get('')).headers['cache-control']), /immutable/)
})

test('an unchanged page is not sent again', async () => {
  const answer = await serve(built).inject({ url: '/', headers: { 'if-none-match': '"page"' } })
  assert.deepEqual([answer.statusCode, answer.body], [304, ''])
})

test('an asset of another version gets 404 and not the page', async () => {
  assert.equal((await serve(built).inject('/console/assets/old.js')).json().code, 'not_found')
})

test('an unknown API address gets 404 and not the page', async () => {
  for (const url of ['/console/api', '/console/api/', '/console/api/x', '/console/api/x/y?z=1'])
    assert.equal((await serve(built).inject(url)).json().code, 'not_found', url)
})

test('while the app is being built, the page shows that and reloads', async () => {
  const { body, headers } = await serve(null).inject('/console/chat')
  assert.match(body, /http-equiv="refresh"/)
  assert.equal(headers['cache-control'], 'no-store')
})

test('below a path prefix the page is sent unhashed, so that its addresses can be rewritten', async () => {
  const pages = new Map([['index.html', file('page', true)]])
  const get = (publicUrl: string) => serve(pages, publicUrl).inject({ url: '/', headers: { 'accept-encoding': 'br' } })
  assert.equal((await get('https://sepia.test')).body, 'brotli')
  assert.equal((await get('https://sepia.test/ink')).body, 'page')
})
