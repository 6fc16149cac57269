import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { useConsole } from './support/use-console.ts'
import { writeNextAnswer } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

/** Animations and transitions on the page, except delayed appearances, which take no time once they start. */
const moving = `[
  ...document.getAnimations().filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().activeDuration > 0)
    .map((each) => each.animationName ?? each.transitionProperty),
  ...[...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).transitionDuration.split(', ').some((time) => time !== '0s'))
    .map((each) => 'transition of ' + each.tagName + '.' + each.className),
]`

async function movingWith(reducedMotion: 'reduce' | 'no-preference'): Promise<readonly string[]> {
  await visit().page.emulateMedia({ reducedMotion })
  return visit().page.evaluate<readonly string[]>(moving)
}

test('a growing answer does not animate with reduced motion', { skip }, async () => {
  const { page } = visit()
  const answer = await writeNextAnswer(page)
  await page.getByLabel('Your message').fill('Go on.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer[data-state=writing]').waitFor()
  await answer.write('Once upon')
  await page.locator('.prose.writing').waitFor()
  assert.ok((await movingWith('no-preference')).length > 0, 'something moves otherwise')
  await eventually(async () => assert.deepEqual(await movingWith('reduce'), []))
  await answer.end()
})

test('drawings, dialogs and pages do not animate either', { skip }, async () => {
  const { page } = visit()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await openPage(page, 'Images')
  await draw(page, 'a red apple')
  await page.locator('.run').first().waitFor()
  await eventually(async () => assert.deepEqual(await movingWith('reduce'), []))
  await page.keyboard.press('Control+k')
  await page.locator('.palette').waitFor()
  await eventually(async () => assert.deepEqual(await movingWith('reduce'), []))
  await page.keyboard.press('Escape')
  for (const name of ['Gallery', 'Requests', 'Usage', 'Models', 'Access tokens', 'People', 'Service']) {
    await openPage(page, name)
    await eventually(async () => assert.deepEqual(await movingWith('reduce'), [], name))
  }
})

test('a page whose script is late appears late, without animation', { skip }, async () => {
  const { page } = visit()
  const appear =
    "document.querySelector('p.late')?.remove(); document.body.append(Object.assign(document.createElement('p'), { className: 'late' }))"
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  // In one task: it has risen after a moment.
  const rising = await page.evaluate<readonly string[]>(`${appear}\n;${moving}`)
  assert.ok(rising.includes('rise'), 'it moves otherwise')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(appear)
  await eventually(async () => assert.deepEqual(await movingWith('reduce'), []))
})
