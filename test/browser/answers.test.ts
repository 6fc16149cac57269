import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { becomeOwner } from './support/console-visit.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'
import { haveAnswered, writeNextAnswer } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

const longText = Array.from({ length: 60 }, (_, line) => `Paragraph ${line}.`).join('\n\n')

/** Resolves once the page shows its end, having been scrolled there. */
async function endInView(page: Page): Promise<void> {
  const root = 'document.documentElement'
  await untilTrue(page, `${root}.scrollTop > 0 && ${root}.scrollHeight - ${root}.scrollTop - ${root}.clientHeight < 24`)
}

/** Turns the wheel up, and waits until the page stands still; a wheel does not turn it at once. */
async function wheelUp(page: Page, pixels: number): Promise<void> {
  await standsStill(page)
  const before = await scrolled(page)
  await page.mouse.move(400, 300)
  await page.mouse.wheel(0, -pixels)
  await untilTrue(page, `document.documentElement.scrollTop < ${before}`)
  await standsStill(page)
}

/** Waits until the page has not scrolled for ten frames. */
async function standsStill(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    let [at, frames] = [-1, 0]
    const look = () => {
      const { scrollTop } = document.documentElement
      frames = scrollTop === at ? frames + 1 : 0
      at = scrollTop
      if (frames < 10) requestAnimationFrame(look)
      else resolve()
    }
    look()
  })`)
}

/** How far the page was scrolled, in CSS pixels. */
function scrolled(page: Page): Promise<number> {
  return page.locator('html').evaluate((root) => root.scrollTop)
}

/** The size of an element's type, in CSS pixels. */
async function typeSize(locator: Locator): Promise<number> {
  return Number.parseFloat(await locator.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).fontSize ?? ''))
}

test('Markdown lists keep their numbers, and tables, tasks and inline marks are rendered', { skip }, async () => {
  const { page } = visit()
  await haveAnswered(
    page,
    [
      '2. two',
      '3. three',
      '',
      '| a | *b* |',
      '|---|--:|',
      '| `c` | **d** |',
      '',
      '- [x] done',
      '- [ ] open',
      '',
      '# Top',
      '',
      'x[^1]',
      '',
      '[^1]: note',
    ].join('\n'),
  )
  const prose = page.locator('.turn-answer').last().locator('.prose')
  await prose.locator('table').waitFor()
  assert.equal(await prose.locator('ol').getAttribute('start'), '2')
  assert.deepEqual(await prose.locator('ol > li').allTextContents(), ['two', 'three'])
  assert.equal(await prose.locator('th em').textContent(), 'b')
  assert.equal(await prose.locator('td strong').textContent(), 'd')
  assert.deepEqual(await prose.locator('input').evaluateAll((boxes) => boxes.map((box) => 'checked' in box && box.checked)), [true, false])
  assert.equal(await prose.locator('.footnote').textContent(), '1note')
  const ratio = (await typeSize(prose.locator('.heading-1'))) / (await typeSize(prose.locator('li').first()))
  assert.ok(ratio >= 1.2 && ratio <= 1.5, String(ratio))
})

test('code has its language, colours and a copy button, in type of at least 13 px; formulas are rendered', { skip }, async () => {
  const { page } = visit()
  await haveAnswered(page, '```js\nconst a = 1\n```\n\n$$\nx^2 + \\frac{1}{2}\n$$')
  const answer = page.locator('.turn-answer').last()
  await answer.locator('.hljs-keyword').getByText('const').waitFor()
  await answer.locator('math msup').waitFor()
  const block = answer.locator('.code-block')
  assert.equal(await block.locator('figcaption > span').textContent(), 'js')
  await block.getByRole('button', { name: 'Copy' }).waitFor()
  assert.ok((await typeSize(block.locator('code'))) >= 13)
})

const attacks: readonly (readonly [name: string, markdown: string])[] = [
  ['a script', '<script>window.broken = 1</script>'],
  ['an image with a handler', '<img src=x onerror="window.broken = 1">'],
  ['a picture from elsewhere', '![alt](https://evil.example/pixel.png)'],
  ['a picture that is named elsewhere', '![alt][p]\n\n[p]: https://evil.example/pixel.png'],
  ['a link that is a script', '[press](javascript:window.broken=1)'],
  ['a link that hides that it is one', '[press](&#106;avascript:window.broken=1)'],
  ['a link with a line break in its scheme', '[press](<java\tscript:window.broken=1>)'],
  ['a link to a document of its own', '[press](data:text/html,<script>window.broken=1</script>)'],
  ['an autolink that is a script', '<javascript:window.broken=1>'],
  ['a link to a file', '[press](file:///etc/passwd)'],
  ['a formula with a link', '$$\\href{javascript:window.broken=1}{x}$$'],
  ['a formula with a picture', '$$\\includegraphics{https://evil.example/pixel.png}$$'],
  ['a formula with markup of its own', '$$\\htmlStyle{background:url(https://evil.example)}{x}$$'],
  ['a language that is markup', '```"><img src=x onerror=window.broken=1>\ncode\n```'],
  ['a frame', '<iframe srcdoc="<script>parent.broken=1</script>"></iframe>'],
  ['a style', '<style>* { display: none }</style>'],
]

test('model output cannot run scripts, load resources or mislead with links', { skip }, async () => {
  const { page, complaints } = visit()
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  for (const [name, markdown] of attacks) {
    await haveAnswered(page, `Before.\n\n${markdown}\n\nAfter.`)
    const prose = page.locator('.turn-answer').last().locator('.prose')
    await prose.getByText('After.').waitFor()
    assert.equal(await prose.locator('script, iframe, img, style, object, embed, form').count(), 0, name)
    const links: string[] = await prose.locator('a').evaluateAll((found) => found.map((link) => ('href' in link ? String(link.href) : '')))
    assert.deepEqual(
      links.filter((href) => !/^(https?|mailto):/.test(href)),
      [],
      name,
    )
    const handlers = await prose
      .locator('*')
      .evaluateAll((found) => found.flatMap((each) => each.getAttributeNames()).filter((attribute) => attribute.startsWith('on')))
    assert.deepEqual(handlers, [], name)
  }
  assert.equal(await page.evaluate("'broken' in window"), false)
  assert.deepEqual(
    requested.filter((url) => url.includes('evil.example')),
    [],
  )
  assert.deepEqual(complaints, [])
})

test('the end of a growing answer stays in view until the user scrolls up; a button leads back', { skip }, async () => {
  const { page } = visit()
  const answer = await writeNextAnswer(page)
  await page.getByLabel('Your message').fill('A long one.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer[data-state=writing]').waitFor()
  await answer.write(`${longText}\n\nThe middle.`)
  const middle = page.getByText('The middle.')
  await middle.waitFor()
  await endInView(page)
  await wheelUp(page, 600)
  await page.getByRole('button', { name: 'To the end' }).waitFor()
  const before = await scrolled(page)
  await answer.write(`\n\n${longText}\n\nThe end.`)
  await page.getByText('The end.').waitFor()
  assert.equal(await scrolled(page), before)
  await page.getByRole('button', { name: 'To the end' }).click()
  await page.getByRole('button', { name: 'To the end' }).waitFor({ state: 'detached' })
  await endInView(page)
  await answer.end()
})

test('a sent message scrolls into view from any position', { skip }, async () => {
  const { page } = visit()
  await haveAnswered(page, longText)
  await endInView(page)
  await wheelUp(page, 4000)
  await page.getByRole('button', { name: 'To the end' }).waitFor()
  const answer = await writeNextAnswer(page)
  await page.getByLabel('Your message').fill('And now this.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-user').getByText('And now this.').waitFor()
  await endInView(page)
  await answer.write('Yes.')
  await page.locator('.turn-answer').last().getByText('Yes.').waitFor()
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('Escape')
  await page.locator('.turn-answer').last().and(page.locator('[data-state=stopped]')).waitFor()
})

test('a rem has the font size that the reader set', { skip }, async () => {
  const { page } = visit()
  assert.equal(await typeSize(page.locator('html')), 16)
})
