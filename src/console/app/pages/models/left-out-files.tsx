import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { LeftOutChoice, LeftOutFile } from '../../../contract/models.ts'
import { send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/dialog-form.tsx'
import { loadModels } from '../../state/models.ts'
import { announce } from '../../state/toasts.ts'

/** Files in the models folders that are not models, why, and a button to remove those that were pulled or imported. */
export function LeftOutFiles({ files }: { files: readonly LeftOutFile[] }): VNode {
  const removing = useSignal<LeftOutFile | null>(null)
  const remove = async ({ file }: LeftOutFile) => {
    const body: LeftOutChoice = { file }
    await send('/console/api/models/left-out/remove', { method: 'POST', body })
    await loadModels()
    announce(t`File removed.`)
  }
  return (
    <section class="sheet stack tight" aria-labelledby="left-out">
      <h2 id="left-out">{t`Files left out`}</h2>
      <p class="soft">{t`These files are in the models folders but can’t be used. Requests for them return the same reason.`}</p>
      <ul class="stack tight">
        {files.map((left, index) => (
          <li class="row between" key={`${left.file} ${left.reason}`}>
            <div class="stack tight">
              <code class="clipped" title={left.file}>
                {left.file}
              </code>
              <span class="soft" lang="en">
                {left.reason}
              </span>
            </div>
            {left.removes !== undefined && files.findIndex(({ file }) => file === left.file) === index ? (
              <Button tone="quiet" icon="trash" onClick={() => (removing.value = left)} about={left.file}>{t`Remove`}</Button>
            ) : null}
          </li>
        ))}
      </ul>
      {removing.value ? <RemovalDialog left={removing.value} run={remove} onClose={() => (removing.value = null)} /> : null}
    </section>
  )
}

interface RemovalDialogProps {
  readonly left: LeftOutFile
  readonly run: (left: LeftOutFile) => Promise<void>
  readonly onClose: () => void
}

function RemovalDialog({ left, run, onClose }: RemovalDialogProps): VNode {
  const { file, removes = file } = left
  const consequence =
    removes === file
      ? t`Deletes ${removes} from the disk, with the other parts of a split model. Of an imported model, only the link is deleted; its files stay.`
      : t`The folder ${removes} is deleted from the disk with all files in it.`
  return (
    <ConfirmDialog title={t`Remove ${file.split(/[\\/]/).at(-1) ?? file}?`} action={t`Remove`} run={() => run(left)} onClose={onClose}>
      {consequence}
    </ConfirmDialog>
  )
}
