import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

const words = 'ما هي عاصمة فرنسا'
/** Ends in the other direction, so that the position of its end shows the direction of the whole. */
const mixed = `${words} Paris`

/** Where the first and the last letter of an element stand, without text for screen readers alone. */
const ends = `(selector) => {
  const walker = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT)
  const texts = []
  while (walker.nextNode())
    if (walker.currentNode.data.trim() !== '' && !walker.currentNode.parentElement.closest('.hidden-text')) texts.push(walker.currentNode)
  const placeOf = (node, at) => {
    const range = document.createRange()
    range.setStart(node, at)
    range.setEnd(node, at + 1)
    return range.getBoundingClientRect().left
  }
  return [placeOf(texts[0], 0), placeOf(texts.at(-1), texts.at(-1).data.trimEnd().length - 1)]
}`

/** Waits until the first that the selector finds runs from right to left: its last letter stands left of its first. */
async function runsFromTheRight(selector: string): Promise<void> {
  const { page } = visit()
  await page.locator(selector).first().waitFor()
  await eventually(async () => {
    const [first, last] = await page.evaluate<readonly [number, number]>(`(${ends})(${JSON.stringify(selector)})`)
    assert.ok(last < first, `${selector} begins at ${first} and ends at ${last}`)
  })
}

/** A property of the first that the selector finds, as the browser computed it. */
function styleOf(selector: string, property: string): Promise<string> {
  return visit().page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`)
}

test('right-to-left text is aligned right in the message, its title, the list and the input', {
  skip,
}, async () => {
  const { page } = visit()
  const box = page.getByLabel('Your message')
  await box.fill(mixed)
  assert.equal(await styleOf('.composer textarea', 'unicodeBidi'), 'plaintext')
  await page.keyboard.press('Enter')
  await runsFromTheRight('.turn-user')
  await runsFromTheRight('.chat-title')
  await runsFromTheRight('.history li > a')
})

test('a right-to-left answer has its lists and quotations on the right, and its code unchanged', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'Edit the answer' }).click()
  const corrected = page.getByLabel('Edit the answer')
  await corrected.fill(`${mixed}\n\n- ${mixed}\n\n> ${mixed}\n\n\`\`\`js\nlet a = 1\n\`\`\``)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  for (const part of ['p', 'li', 'blockquote']) await runsFromTheRight(`.prose ${part}`)
  assert.equal(await styleOf('.prose ul', 'direction'), 'rtl')
  assert.equal(await styleOf('.prose ul', 'paddingLeft'), '0px')
  assert.equal(await styleOf('.prose pre', 'direction'), 'ltr')
})

test('right-to-left prompts are aligned right wherever they appear', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await draw(page, mixed)
  await runsFromTheRight('.run-head h2')
  await page.locator('.run[data-state=done] img').first().waitFor()
  await openPage(page, 'Gallery')
  await runsFromTheRight('.tile-words')
  await page.locator('.plate-picture').first().click()
  await runsFromTheRight('.viewer-words')
  await page.keyboard.press('Escape')
  await openPage(page, 'Requests')
  await runsFromTheRight('.request-words')
})

test('a long right-to-left name is truncated at its end', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Access tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByLabel('Name').fill(`${words} `.repeat(5))
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('button', { name: 'I’ve copied it' }).click()
  await eventually(async () => assert.equal(await styleOf(`.clipped[title^="${words}"]`, 'direction'), 'rtl'))
})
