import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { AttachedPicture, Turn } from '../../../../../core/chat/conversation.ts'
import { beginning } from '../../../../../core/text/visible-text.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { AttachedRow } from '../attach/attached-row.tsx'
import type { Attachments } from '../attach/attachments.ts'
import { current } from '../conversations.ts'
import { draftOf, keepDraft } from '../unsent/drafts.ts'
import { EditTurn, useFocusAfterEdit } from './edit-turn.tsx'
import { RemoveTurn } from './remove-turn.tsx'
import { Versions } from './versions.tsx'

/** Characters of a message that are drawn at first; a whole book would block the page for seconds. */
const maxShown = 20_000

/** A user's message, and the actions to edit it, and to request an answer when it has none. */
export function Said({ turn, last }: { turn: Turn; last: boolean }): VNode {
  const place = `edit ${turn.id}`
  const edited = draftOf(place)
  const shown = useSignal<AttachedPicture | null>(null)
  /** What was not removed from the edited message; null = everything. */
  const left = useSignal<Attachments | null>(null)
  const attached = left.value ?? { files: turn.files, pictures: turn.pictures ?? [] }
  const foot = useFocusAfterEdit(edited !== undefined)
  if (edited !== undefined)
    return (
      <EditTurn
        label={t`Edit your message`}
        action={t`Send`}
        text={edited}
        mayBeEmpty={attached.pictures.length > 0}
        onInput={(text) => keepDraft(place, text)}
        onTake={(text) => current.value.edit(turn, text, attached)}
        onClose={() => {
          keepDraft(place, null)
          left.value = null
        }}
      >
        <AttachedRow attached={attached} onChange={(next) => (left.value = next)} />
      </EditTurn>
    )
  return (
    <div class="turn-said">
      <div class="turn-user">
        <span class="hidden-text">{t`You`}: </span>
        {turn.pictures ? (
          <span class="said-pictures">
            {turn.pictures.map((picture, index) => (
              <button type="button" class="said-picture" key={`${index} ${picture.name}`} onClick={() => (shown.value = picture)}>
                <img src={picture.url} alt={picture.name} />
              </button>
            ))}
          </span>
        ) : null}
        <SaidText text={turn.content} />
        {turn.files.length === 0 ? null : (
          <span class="said-files">
            {turn.files.map(({ name }) => (
              <span class="chip" dir="auto" key={name}>
                {name}
              </span>
            ))}
          </span>
        )}
      </div>
      <footer class="turn-foot" ref={foot}>
        <Versions turn={turn} />
        <CopyButton text={turn.content} />
        {last ? <Button tone="quiet" size="small" icon="again" onClick={() => current.value.answer(turn)}>{t`Ask again`}</Button> : null}
        <Button tone="quiet" size="small" icon="brush" class="edit" onClick={() => keepDraft(place, turn.content)}>{t`Edit`}</Button>
        <RemoveTurn turn={turn} />
      </footer>
      {shown.value ? (
        <Dialog title={shown.value.name} onClose={() => (shown.value = null)} large>
          <img class="said-whole" src={shown.value.url} alt={shown.value.name} />
        </Dialog>
      ) : null}
    </div>
  )
}

function SaidText({ text }: { text: string }): VNode {
  const isWhole = useSignal(false)
  if (isWhole.value || text.length <= maxShown) return <>{text}</>
  return (
    <>
      {beginning(text, maxShown)}…{' '}
      <Button tone="quiet" size="small" onClick={() => (isWhole.value = true)}>{t`Show the whole message`}</Button>
    </>
  )
}
