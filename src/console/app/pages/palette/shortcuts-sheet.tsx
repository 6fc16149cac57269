import type { VNode } from 'preact'
import { Dialog } from '../../parts/dialog.tsx'

const shortcuts = [
  ['Go to a page, model or conversation', ['Ctrl', 'K']],
  ['This sheet', ['?']],
  ['Send a message', ['Enter']],
  ['A new line in a message', ['Shift', 'Enter']],
  ['Draw', ['Ctrl', 'Enter']],
  ['Stop an answer, close a dialog', ['Esc']],
] as const

/** What keys do. */
export function ShortcutsSheet({ onClose }: { onClose: () => void }): VNode {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {shortcuts.map(([what, keys]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p class="faint">On a Mac, Command does what Ctrl does here.</p>
    </Dialog>
  )
}
