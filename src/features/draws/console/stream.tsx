import type { ReactNode } from 'react'
import { toast } from 'sonner'
import { copyText } from '#client/browser-parts.ts'
import { absolute, paths } from '#client/paths.ts'
import { useSettings } from '#console-kit/console-context.tsx'
import { ActionForm, SelectField, TextField } from '#console-kit/fields.tsx'
import { Section } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES, LANGUAGE_NAMES, isLanguage, type Language } from '#shared/languages.ts'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import type { DrawPage } from '../draws.contract.ts'
import { LIVE_BOUNDS, liveSearch, liveSeconds } from '../live.rules.ts'

/** Builds the address of the page that a stream shows. */
export function Stream({ draw: { slug, terms, rehearsal } }: { draw: DrawPage }): ReactNode {
  const t = useTranslations('consoleDraws.stream')
  const own = useLanguage()
  const { publicUrl } = useSettings()
  const { pace, hold } = LIVE_BOUNDS
  const form = useFields({
    language: own as string,
    second: '',
    pace: pace.usual.toLocaleString(own),
    hold: String(hold.usual),
    overlay: false,
  })
  const { values } = form
  const language: Language = isLanguage(values.language) ? values.language : own
  // Addresses have a decimal point, keyboards of two of the three languages a comma.
  const secondsOf = (name: keyof typeof LIVE_BOUNDS) =>
    liveSeconds(name, values[name].trim().replace(',', '.'))
  const seconds = { pace: secondsOf('pace'), hold: secondsOf('hold') }
  const look = {
    overlay: values.overlay,
    second: isLanguage(values.second) && values.second !== language ? values.second : undefined,
    pace: seconds.pace ?? pace.usual,
    hold: seconds.hold ?? hold.usual,
  }
  const pathOf = (id?: string): string => paths.liveDraw(slug) + liveSearch(language, look, id)
  const address = absolute(publicUrl, pathOf())
  const wrong = (name: keyof typeof LIVE_BOUNDS): string | undefined =>
    seconds[name] === undefined ? t('outOfBounds', LIVE_BOUNDS[name]) : undefined
  const isWrong = seconds.pace === undefined || seconds.hold === undefined
  const copy = async (): Promise<void> => {
    if (await copyText(address)) toast.success(t('copied'))
    else toast.error(t('copyFailed'))
  }
  const names = LANGUAGES.map((one) => [one, LANGUAGE_NAMES[one]] as const)
  const previews = [
    ['preview', terms ? pathOf() : undefined],
    ['previewRehearsal', rehearsal ? pathOf(rehearsal.id) : undefined],
  ] as const
  return (
    <Section title={t('title')}>
      <p className="max-w-3xl">{t('text')}</p>
      <ActionForm action={form} className="grid max-w-3xl grid-cols-1 gap-4 sm:grid-cols-2" onSend={copy}>
        <SelectField label={t('language')} choices={names} {...form.field('language')} />
        <SelectField
          label={t('second')}
          choices={[['', t('none')] as const, ...names.filter(([one]) => one !== language)]}
          {...form.field('second')}
        />
        <TextField
          label={t('pace')}
          hint={t('paceHint', pace)}
          inputMode="decimal"
          {...form.field('pace')}
          error={wrong('pace')}
        />
        <TextField
          label={t('hold')}
          hint={t('holdHint', hold)}
          inputMode="numeric"
          {...form.field('hold')}
          error={wrong('hold')}
        />
        <div className="sm:col-span-2">
          <Checkbox label={t('overlay')} {...form.box('overlay')} />
        </div>
        {!isWrong && (
          <div className="grid grid-cols-1 gap-4 sm:col-span-2">
            <TextField
              label={t('address')}
              value={address}
              readOnly
              onFocus={({ target }) => target.select()}
            />
            <p className="flex flex-wrap items-center gap-x-6 gap-y-3 max-sm:*:grow">
              <Button type="submit">{t('copy')}</Button>
              {previews.map(
                ([name, href]) =>
                  href !== undefined && (
                    <a key={name} href={href} target="_blank" rel="noopener" className="prose-link py-2">
                      {t(name)}
                    </a>
                  ),
              )}
            </p>
          </div>
        )}
      </ActionForm>
    </Section>
  )
}
