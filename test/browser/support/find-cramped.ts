import type { Page } from 'playwright-core'

const look = `(() => {
  const found = []
  const nameOf = (element) => element.tagName.toLowerCase() + ' “' + (element.textContent || element.getAttribute('aria-label') || '').trim().slice(0, 40) + '”'
  for (const element of document.querySelectorAll('body *')) {
    const { width, height } = element.getBoundingClientRect()
    if (width < 2 || height < 2 || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    const style = getComputedStyle(element)
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '')
    if (hasText && !element.closest('svg, .katex') && parseFloat(style.fontSize) < 13) found.push(nameOf(element) + ' ' + style.fontSize)
    if (!element.matches('a[href], button, input, select, textarea, summary, [role=option], [role=slider]')) continue
    if (element.matches('a') && style.display === 'inline') continue
    const around = (element.matches('[type=checkbox], [type=radio]') && element.labels?.[0]?.getBoundingClientRect()) || { width, height }
    if (Math.max(width, around.width) < 24 || Math.max(height, around.height) < 24)
      found.push(nameOf(element) + ' ' + width + '×' + height)
  }
  return found
})()`

/** Text under 13 pixels, and what is pressed and smaller than 24 by 24 (WCAG 2.2, 2.5.8; links within text are free), one line each. */
export async function findCramped(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(look)
}
