import type { VNode } from 'preact'
import { Button } from '../../../parts/button.tsx'
import type { Attachments } from '../conversation.ts'
import { t } from '../text.ts'

/** What goes along with the message that is being written; a press takes it out again. */
export function AttachedRow({ attached, onChange }: { attached: Attachments; onChange: (next: Attachments) => void }): VNode | null {
  const { files, pictures } = attached
  if (files.length + pictures.length === 0) return null
  return (
    <ul class="attached" aria-label={t`Attached`}>
      {pictures.map((picture, index) => (
        <li key={`${index} ${picture.name}`}>
          <button
            type="button"
            class="attached-picture"
            title={t`Take out ${picture.name}`}
            onClick={() => onChange({ ...attached, pictures: pictures.filter((each) => each !== picture) })}
          >
            <img src={picture.url} alt={t`Take out ${picture.name}`} />
          </button>
        </li>
      ))}
      {files.map((file) => (
        <li key={file.name}>
          <Button size="small" icon="close" onClick={() => onChange({ ...attached, files: files.filter((each) => each !== file) })}>
            {file.name}
          </Button>
        </li>
      ))}
    </ul>
  )
}
