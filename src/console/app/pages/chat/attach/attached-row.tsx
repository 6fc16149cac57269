import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { announce } from '../../../state/toasts.ts'
import { type Attachments, noAttachments } from './attachments.ts'

/** The attachments of the message that is being written; each can be removed. */
export function AttachedRow({ attached, onChange }: { attached: Attachments; onChange: (next: Attachments) => void }): VNode | null {
  const { files, pictures } = attached
  const change = (next: Attachments, name: string) => {
    onChange(next)
    announce(t`${name} is removed.`)
  }
  const removeAll = () => {
    onChange(noAttachments)
    announce(t`All attachments are removed.`)
  }
  if (files.length + pictures.length === 0) return null
  return (
    <ul class="attached" aria-label={t`Attached`}>
      {pictures.map((picture, index) => (
        <li key={`${index} ${picture.name}`}>
          <button
            type="button"
            class="attached-picture"
            title={t`Remove ${picture.name}`}
            onClick={() => change({ ...attached, pictures: pictures.filter((each) => each !== picture) }, picture.name)}
          >
            <img src={picture.url} alt={t`Remove ${picture.name}`} />
          </button>
        </li>
      ))}
      {files.map((file) => (
        <li key={file.name}>
          <Button
            size="small"
            icon="close"
            onClick={() => change({ ...attached, files: files.filter((each) => each !== file) }, file.name)}
          >
            <span aria-hidden="true">{file.name}</span>
            <span class="hidden-text">{t`Remove ${file.name}`}</span>
          </Button>
        </li>
      ))}
      {files.length + pictures.length > 1 ? (
        <li>
          <Button tone="quiet" size="small" onClick={removeAll}>{t`Remove all`}</Button>
        </li>
      ) : null}
    </ul>
  )
}
