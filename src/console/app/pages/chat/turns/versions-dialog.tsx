import type { VNode } from 'preact'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { current } from '../conversations.ts'
import { AnswerBody } from './answer-body.tsx'
import { answerFacts } from './answer-facts.ts'

/** All versions of a message beside each other; the conversation goes on with one of them. */
export function VersionsDialog({ versions, onClose }: { versions: readonly Turn[]; onClose: () => void }): VNode {
  return (
    <Dialog title={t`Versions side by side`} onClose={onClose} large>
      <div class="comparison">
        {versions.map((turn, index) => (
          <article class="turn-answer sheet" key={turn.id} aria-label={t`Version ${index + 1}`}>
            <h3 class="clipped" title={turn.model ?? ''}>
              {[t`Version ${index + 1}`, turn.model].filter(Boolean).join(' · ')}
            </h3>
            {turn.role === 'user' ? <p class="said-version">{turn.content}</p> : <AnswerBody turn={turn} />}
            <footer class="turn-foot">
              <Button
                tone="primary"
                size="small"
                onClick={() => {
                  current.value.show(turn.id)
                  onClose()
                }}
              >
                {t`Use this answer`}
                <span class="hidden-text">, {t`version ${index + 1}`}</span>
              </Button>
              <span>{answerFacts(turn).join(' · ')}</span>
            </footer>
          </article>
        ))}
      </div>
    </Dialog>
  )
}
