/** Whether a key pressed on this element enters text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=checkbox], [type=range])'))
  )
}
