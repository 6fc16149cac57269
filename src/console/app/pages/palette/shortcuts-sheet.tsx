import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Dialog } from '../../parts/dialog.tsx'

const shortcuts = [
  [t`Go to a page, model or conversation`, ['Ctrl', 'K']],
  [t`These shortcuts`, ['?']],
  [t`New conversation`, ['Ctrl', 'Shift', 'O']],
  [t`Send a message`, ['Enter']],
  [t`New line in a message`, ['Shift', 'Enter']],
  [t`Draw`, ['Ctrl', 'Enter']],
  [t`Stop an answer, close a dialog`, ['Esc']],
  [t`Undo, while a message offers it`, ['Ctrl', 'Z']],
] as const

/** The list of keyboard shortcuts. */
export function ShortcutsSheet({ onClose }: { onClose: () => void }): VNode {
  return (
    <Dialog title={t`Keyboard shortcuts`} onClose={onClose}>
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
      <p class="faint">{t`On a Mac, use Command instead of Ctrl.`}</p>
    </Dialog>
  )
}
