import { untracked, useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { chatModelName } from '../../../state/models.ts'
import { current } from '../conversations.ts'
import { AnswerSheet, UseAnswer } from './answer-sheet.tsx'

/** The shown version of a message, and buttons for the others; nothing when there is only one. */
export function Versions({ turn }: { turn: Turn }): VNode | null {
  const beside = useSignal(false)
  // Answers that grow elsewhere change the conversation at every token, but not these ids.
  const ids = useComputed(() =>
    current.value
      .versions(turn)
      .map(({ id }) => id)
      .join(' '),
  )
  if (!ids.value.includes(' ')) return null
  const versions = untracked(() => current.value.versions(turn))
  const at = versions.findIndex(({ id }) => id === turn.id)
  const show = (index: number) => () => {
    const version = versions[index]
    if (version !== undefined) current.value.show(version.id)
  }
  return (
    <span class="versions">
      <Button tone="quiet" size="small" icon="back" iconOnly disabled={at === 0} onClick={show(at - 1)}>{t`Earlier version`}</Button>
      <span>{t`${at + 1} of ${versions.length}`}</span>
      <Button
        tone="quiet"
        size="small"
        icon="next"
        iconOnly
        disabled={at === versions.length - 1}
        onClick={show(at + 1)}
      >{t`Later version`}</Button>
      <Button tone="quiet" size="small" icon="compare" iconOnly onClick={() => (beside.value = true)}>{t`Side by side`}</Button>
      {beside.value ? <VersionsDialog versions={versions} shown={turn.id} onClose={() => (beside.value = false)} /> : null}
    </span>
  )
}

interface VersionsDialogProps {
  readonly versions: readonly Turn[]
  /** The id of the shown one. */
  readonly shown: string
  readonly onClose: () => void
}

/** All versions of a message side by side. The conversation continues with the one that the user picks. */
function VersionsDialog({ versions, shown, onClose }: VersionsDialogProps): VNode {
  return (
    <Dialog title={t`Versions side by side`} onClose={onClose} large>
      <div class="comparison">
        {versions.map((turn, index) => (
          <AnswerSheet turn={turn} label={t`Version ${index + 1}`} heading={headingOf(turn, index + 1, turn.id === shown)} key={turn.id}>
            <UseAnswer
              label={t`Use this version`}
              about={t`version ${index + 1}`}
              choose={() => {
                current.value.show(turn.id)
                onClose()
              }}
            />
          </AnswerSheet>
        ))}
      </div>
    </Dialog>
  )
}

function headingOf({ model }: Turn, number: number, isShown: boolean): string {
  return [t`Version ${number}`, ...(model === null ? [] : [chatModelName(model)]), ...(isShown ? [t`in use`] : [])].join(' · ')
}
