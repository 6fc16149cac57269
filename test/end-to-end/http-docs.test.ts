import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { DocsSite } from '../../src/http/docs/docs-site.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'

describe('the documentation site', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  test('has a page for each file, without scripts, comments or the need of a token', async () => {
    const names = new DocsSite().names
    for (const name of ['readme', 'first-model', 'operations', 'configuration', 'errors', 'architecture', 'decisions', 'command-line'])
      assert.ok(names.includes(name), name)
    for (const name of names) {
      const answer = await service.fetch(`/docs/${name}`, { token: null })
      assert.equal(answer.status, 200, name)
      assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none';/)
      const html = await answer.text()
      assert.doesNotMatch(html, /<script| on\w+="|javascript:/)
      assert.match(html, /<h1 id="/, name)
      assert.doesNotMatch(html, /&lt;!--/, name)
    }
  })

  test('shows the icon of the console, which its policy allows', async () => {
    for (const path of ['/docs', '/docs/search?q=models', '/docs/api']) {
      const answer = await service.fetch(path, { token: null })
      const [, icon = ''] = /<link rel="icon" href="\/console\/([^"]+)"/.exec(await answer.text()) ?? []
      assert.ok(existsSync(`src/console/app/public/${icon}`) && icon.endsWith('.svg'), path)
      assert.match(answer.headers.get('content-security-policy') ?? '', /img-src 'self'/)
    }
  })

  test('answers with a slash at the end as without', async () => {
    for (const path of ['/docs', '/docs/first-model', '/docs/screenshots/chat-light.webp']) {
      const [plain, slashed] = await Promise.all([path, `${path}/`].map((each) => service.fetch(each, { token: null })))
      assert.deepEqual([plain?.status, slashed?.status], [200, 200], path)
      assert.equal(await slashed?.text(), await plain?.text())
    }
  })

  test('has no broken links', async () => {
    const pages = new Map<string, string>()
    const fetchPage = async (path: string): Promise<string> => {
      const known = pages.get(path)
      if (known !== undefined) return known
      const answer = await service.fetch(path, { token: null })
      assert.equal(answer.status, 200, path)
      const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true
      const html = isPage ? await answer.text() : ''
      pages.set(path, html)
      for (const [, target = ''] of html.matchAll(/(?:href|src)="(\/docs[^"]*|#[^"]*|)"/g)) {
        assert.notEqual(target, '', `${path} links to nothing`)
        const [file, anchor] = target.startsWith('#') ? [path, target.slice(1)] : (target.split('#') as [string, string?])
        const linked = await fetchPage(file)
        if (anchor) assert.ok(linked.includes(`id="${decodeURIComponent(anchor)}"`), `${path} links to ${target}, where no such heading is`)
      }
      return html
    }
    await fetchPage('/docs')
    assert.ok(pages.size > 40, `${pages.size} pages were reached`)
  })

  test('separates tutorials, guides, reference and explanation, with the API in the reference', async () => {
    const html = await (await service.fetch('/docs', { token: null })).text()
    const [, tutorial = '', howTo = '', reference = '', explanation = ''] = html.split(
      /<strong>(?:Tutorials|Guides|Reference|Explanation)<\/strong>/,
    )
    assert.match(tutorial, /href="\/docs\/first-model"/)
    assert.match(howTo, /href="\/docs\/operations"/)
    assert.match(reference, /href="\/docs\/api"[\s\S]*href="\/docs\/configuration"/)
    assert.match(explanation, /href="\/docs\/architecture"/)
  })

  test('finds sections by words, and shows the query as text', async () => {
    const html = await (await service.fetch('/docs/search?q=backup+restore', { token: null })).text()
    assert.match(html, /<li><a href="\/docs\/operations#backup-and-restore">/)
    assert.doesNotMatch(html.replace(/<style>.*?<\/style>/s, ''), /\*\*|`|\]\(|\| /)
    const hostile = await (await service.fetch(`/docs/search?q=${encodeURIComponent('"><script>')}`, { token: null })).text()
    assert.ok(!hostile.includes('<script'))
    assert.match(hostile, /No results/)
    assert.equal((await service.fetch(`/docs/search?q=${'a+'.repeat(4000)}`, { token: null })).status, 200)
  })

  test('reads no other file', async () => {
    for (const path of [
      'package',
      '../package.json',
      '..%2f..%2fpackage.json',
      'decisions/../../package',
      'images%2f..',
      '%00',
      'toString',
    ])
      assert.equal((await service.fetch(`/docs/${path}`, { token: null })).status, 404, path)
  })
})
