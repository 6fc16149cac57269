import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { stylePresetNames } from '../../../../../core/images/style-preset.ts'
import { t } from '../../../language/t.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { bind } from '../../../parts/fields/bind.ts'
import { TextField } from '../../../parts/fields/text-field.tsx'
import { changeImageSettings, imageSettings } from './image-settings.ts'

/** Words of styles that are written in capitals. */
const acronyms: ReadonlySet<string> = new Set(['3d', 'gta', 'hdr', 'rpg'])

/** Columns of the thumbnail sheet made by `make-style-thumbnails`. */
const columns = 10

/** Chooses a style by its thumbnail. */
export function StylePicker(): VNode {
  const open = useSignal(false)
  const [label, chosen] = [useId(), useId()]
  const { style } = imageSettings.value
  return (
    <div class="field">
      <span class="field-label" id={label}>{t`Style`}</span>
      <button type="button" class="style-choice" aria-labelledby={`${label} ${chosen}`} onClick={() => (open.value = true)}>
        <Thumbnail name={style} />
        <span id={chosen} lang={languageOfStyle(style)}>
          {styleName(style)}
        </span>
      </button>
      {open.value ? <StyleDialog onClose={() => (open.value = false)} /> : null}
    </div>
  )
}

function StyleDialog({ onClose }: { onClose: () => void }): VNode {
  const search = useSignal('')
  const wanted = search.value.trim().toLowerCase().replaceAll(' ', '-')
  const names = ['', ...stylePresetNames].filter((name) => styleName(name).toLowerCase().replaceAll(' ', '-').includes(wanted))
  return (
    <Dialog title={t`Style`} onClose={onClose} large>
      <p class="soft">{t`A style adds words to your prompt. The small images are only examples; the result depends on the model.`}</p>
      <TextField label={t`Search styles`} {...bind(search)} />
      <ul class="styles">
        {names.map((name) => (
          <li key={name}>
            <button
              type="button"
              class="style-tile"
              aria-pressed={imageSettings.value.style === name}
              onClick={() => {
                changeImageSettings({ style: name })
                onClose()
              }}
            >
              <Thumbnail name={name} />
              <span lang={languageOfStyle(name)}>{styleName(name)}</span>
            </button>
          </li>
        ))}
      </ul>
      {names.length === 0 ? <p class="soft">{t`No matching style.`}</p> : null}
    </Dialog>
  )
}

function Thumbnail({ name }: { name: string }): VNode {
  const at = stylePresetNames.indexOf(name)
  if (at === -1) return <span class="style-thumbnail none" />
  const position = `${((at % columns) / (columns - 1)) * 100}% ${(Math.floor(at / columns) / (columns - 1)) * 100}%`
  return <span class="style-thumbnail" style={{ backgroundPosition: position }} />
}

/** Styles go by their English names everywhere, as requests name them. */
function languageOfStyle(name: string): 'en' | undefined {
  return name === '' ? undefined : 'en'
}

function styleName(name: string): string {
  const words = name
    .split('-')
    .map((word) => (acronyms.has(word) ? word.toUpperCase() : word))
    .join(' ')
  return name === '' ? t`None` : words.charAt(0).toUpperCase() + words.slice(1)
}
