import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { eventually } from './eventually.ts'

/** A page used by its keys alone, and heard as a screen reader does. */
export interface Keys {
  /** Goes from one thing to the next with Tab, or back with Shift+Tab, until this one has the focus; where it can be seen. */
  to(target: Locator, way?: 'Tab' | 'Shift+Tab'): Promise<void>
  /** Goes there and presses it. */
  press(target: Locator, way?: 'Tab' | 'Shift+Tab'): Promise<void>
  /** Waits until something has the focus, in a place that can be seen, and is marked as such. */
  stand(target: Locator): Promise<void>
  /** Waits until this text was announced, and drops every announcement up to it. */
  expectAnnounced(text: string): Promise<void>
}

const most = 150

const listen = `(() => {
  if (window.announced !== undefined) return
  window.announced = []
  const regions = '[aria-live=polite], [aria-live=assertive], [role=status], [role=alert]'
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      const around = target instanceof Element ? target : target.parentElement
      const region = around?.closest(regions)
      if (region) window.announced.push(region.textContent)
      for (const added of addedNodes)
        if (added instanceof Element) for (const alert of [added, ...added.querySelectorAll('*')]) if (alert.matches('[role=alert]')) window.announced.push(alert.textContent)
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true })
})()`

// The frame that marks the focus is drawn around the element itself, or around what stands for it.
const look = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return 'nothing has the focus'
  const name = element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 60)
  // A heading or a section that was gone to, and where nothing can be pressed, needs no frame.
  const marked = element.tabIndex < 0 || [element, element.parentElement, element.nextElementSibling, element.closest('label, summary, .segments, .drop-zone, .composer-sheet')].some((each) => {
    const style = each && getComputedStyle(each)
    return style && ((style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none')
  })
  if (!marked) return name + ' is not marked'
  const box = element.getBoundingClientRect()
  if (box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) return name + ' is out of sight'
  return null
})()`

export async function byKeys(page: Page): Promise<Keys> {
  await page.evaluate(listen)
  const has = (target: Locator) => target.evaluate((element) => element === element.ownerDocument.activeElement)
  const stand = async (target: Locator) => {
    await eventually(async () => {
      assert.equal(
        await has(target),
        true,
        `the focus is elsewhere: ${await page.evaluate('document.activeElement.outerHTML.slice(0, 300)')}`,
      )
      assert.equal(await page.evaluate(look), null)
    })
  }
  const to = async (target: Locator, way: 'Tab' | 'Shift+Tab' = 'Tab') => {
    // Tab passes over what cannot be used yet.
    await target.and(page.locator(':not(:disabled)')).waitFor({ state: 'attached' })
    for (let steps = 0; !(await has(target)); steps++) {
      assert.ok(steps < most, `${target} is not reached by ${way}`)
      await page.keyboard.press(way)
    }
    await stand(target)
  }
  return {
    to,
    stand,
    press: async (target, way) => {
      await to(target, way)
      await page.keyboard.press('Enter')
    },
    expectAnnounced: (text) =>
      eventually(async () => {
        const announced = await page.evaluate<readonly string[]>('window.announced')
        const at = announced.findIndex((each) => each.includes(text))
        assert.ok(at >= 0, `“${text}” was not announced, but ${JSON.stringify(announced.slice(-8))}`)
        await page.evaluate(`window.announced.splice(0, ${at + 1})`)
      }),
  }
}
