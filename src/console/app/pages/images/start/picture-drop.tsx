import type { ComponentChildren, VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { DropZone } from '../../../parts/drop-zone.tsx'
import { showToast } from '../../../state/toasts.ts'

interface PictureDropProps {
  /** Rejects when the browser cannot read the file as a picture. */
  readonly take: (file: File) => Promise<void>
  /** The label. */
  readonly children: ComponentChildren
}

/** An area where one picture is dropped or chosen. */
export function PictureDrop({ take, children }: PictureDropProps): VNode {
  const takeFile = (file: File | undefined) => {
    if (file) take(file).catch(() => showToast(t`This browser can’t read the file as an image.`))
  }
  return (
    <DropZone accept="image/png,image/jpeg,image/webp" take={takeFile}>
      {children}
    </DropZone>
  )
}
