import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { t } from '../language/t.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { setTheme, type Theme, theme } from '../state/theme.ts'

const choices: readonly { readonly theme: Theme; readonly label: string; readonly icon: IconName }[] = [
  { theme: 'auto', label: t`System`, icon: 'auto' },
  { theme: 'light', label: t`Light`, icon: 'sun' },
  { theme: 'dark', label: t`Dark`, icon: 'moon' },
]

/** Chooses the light, dark or automatic theme. */
export function ThemeSwitch(): VNode {
  const name = useId()
  return (
    <fieldset>
      <legend class="hidden-text">{t`Theme`}</legend>
      <div class="segments">
        {choices.map((choice) => (
          <label key={choice.theme} title={choice.label}>
            <input type="radio" name={name} checked={theme.value === choice.theme} onChange={() => setTheme(choice.theme)} />
            <span>
              <Icon name={choice.icon} size={16} />
              <b class="hidden-text">{choice.label}</b>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
