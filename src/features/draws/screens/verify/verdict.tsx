import type { ReactNode } from 'react'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Plate } from '#ui/plate.tsx'
import type { PackOutcome } from '#draw-protocol/check.ts'
import { STEPS, type Step } from '#draw-protocol/steps.ts'
import type { Terms } from '#draw-protocol/terms.ts'
import type { Stamps, Voucher } from '#draw-protocol/verify.ts'
import type { Kept } from './kept-fields.tsx'
import { shownNumber, shownValues, timeText } from './shown-number.ts'
import { FaultText } from './step-rows.tsx'

type Translate = ReturnType<typeof useTranslations<'verifyReport'>>

/** Why nobody wins anything, whatever the verdict: what a rehearsal or a demonstration is called first of all. */
const unreal = ({ remarks }: Pick<PackOutcome, 'remarks'>): 'rehearsal' | 'demonstration' | undefined =>
  (['rehearsal', 'demonstration'] as const).find((code) => remarks.some((remark) => remark.code === code))

/** Whether nobody but the shop says that it cancelled before the winner could be known. */
const isKnowable = ({ remarks }: Pick<PackOutcome, 'remarks'>): boolean =>
  remarks.some(({ code }) => code === 'cancelled-unconfirmed')

/** The hashes of an e-mail. */
type Emailed = Pick<Kept, 'termsHash' | 'listHash'>

/** Whether the files say what the e-mail said; `unknown`: they could not be read. */
function comparedOf(
  { termsHash, listHash, steps }: PackOutcome,
  emailed: Emailed,
): 'same' | 'differs' | 'unknown' {
  if (termsHash === null) return 'unknown'
  if (termsHash !== emailed.termsHash) return 'differs'
  const list = steps.find(({ step }) => step === 'list')
  // The e-mail tells of a sealed list: without one it was taken back.
  if (list?.outcome === 'passed') return listHash === emailed.listHash ? 'same' : 'differs'
  const isOther =
    list?.outcome === 'failed'
      ? list.code === 'kept-hash'
      : list?.outcome === 'skipped' && list.why === 'not-yet'
  return isOther ? 'differs' : 'unknown'
}

/** Makes the verdict in one sentence; before it others when an e-mail was compared, and when nothing could be won. */
export function useVerdictText(): (outcome: PackOutcome, emailed?: Emailed) => string {
  const t = useTranslations('verify')
  const tReport = useTranslations('verifyReport')
  return (outcome, emailed) => {
    const text = ownVerdict(tReport, outcome, (step) => t(`steps.${step}.name`))
    if (!emailed) return text
    const compared = t(`compared.${comparedOf(outcome, emailed)}`)
    return `${compared} ${text}`
  }
}

function ownVerdict(t: Translate, outcome: PackOutcome, nameOf: (step: Step) => string): string {
  const failed = outcome.steps.find(({ outcome }) => outcome === 'failed')
  const verdict = failed
    ? t('verdict.failed', { at: STEPS.indexOf(failed.step) + 1, name: nameOf(failed.step) })
    : outcome.verdict === 'cancelled'
      ? t(`verdict.cancelled.${isKnowable(outcome) ? 'knowable' : outcome.cancelled!}`)
      : outcome.verdict === 'passed'
        ? vouchedText(t, 'passed', outcome.voucher)
        : t('verdict.incomplete')
  const isVouched = !failed && outcome.verdict !== 'passed' && !isKnowable(outcome)
  const { voucher } = outcome
  const told = voucher && outcome.verdict === 'cancelled' ? unstamped(voucher) : voucher
  const said = isVouched && voucher ? `${verdict} ${vouchedText(t, 'vouched', told)}` : verdict
  const code = unreal(outcome)
  return code ? `${t(`remarks.${code}`)} ${said}` : said
}

/** Who says when things were, in one sentence; `passed`: with the verdict. */
function vouchedText(t: Translate, kind: 'passed' | 'vouched', voucher: Voucher | null): string {
  const stamps = stampsOf(voucher)
  const name = stamps && (stamps.name || t('verdict.unnamed'))
  if (voucher?.by === 'witnesses') {
    const { count, of } = voucher
    return name === null
      ? t(`verdict.${kind}.witnesses`, { count, of })
      : t(`verdict.${kind}.stamped`, { count, of, name })
  }
  return name === null ? t(`verdict.${kind}.shop`) : t(`verdict.${kind}.stamps`, { name })
}

/** The time stamps that came in time, alone or beside the witnesses. */
const stampsOf = (voucher: Voucher | null): Stamps | null =>
  voucher?.by === 'witnesses' ? voucher.stamps : voucher?.by === 'stamps' ? voucher : null

/** What says that of a cancellation: terms and list have a time stamp, it has none. */
const unstamped = (voucher: Voucher): Voucher | null =>
  voucher.by === 'witnesses' ? { ...voucher, stamps: null } : null

/** Of the paragraph that says what to think of who says when. */
const reasonOf = (voucher: Voucher, { verdict }: PackOutcome) =>
  voucher.by === 'shop'
    ? voucher.why
    : voucher.by === 'stamps' && verdict === 'cancelled'
      ? 'uncancelled'
      : voucher.by

const PROGRAM = 'verify-draw.py'
const TONES = { passed: 'success', cancelled: 'info', incomplete: 'warning', failed: 'error' } as const

interface VerdictProps {
  outcome: PackOutcome
  emailed?: Emailed | undefined
  /** Of the archive, for the command; null when it is not known. */
  fileName: string | null
  /** The address of the Python program, where there is a shop to load it from. */
  program: string | undefined
  /** Whom to write to. */
  contact: string | undefined
}

/** What nobody wins anything from is no draw, and what only the shop says is no proof, however well it passes. */
export const verdictTone = (outcome: PackOutcome): (typeof TONES)[keyof typeof TONES] =>
  outcome.verdict === 'passed' && (unreal(outcome) || outcome.voucher?.by !== 'witnesses')
    ? 'warning'
    : TONES[outcome.verdict]

/** The verdict, who won, what people should know, and how to check without this page. */
export function VerdictBlock(props: VerdictProps): ReactNode {
  const { outcome, emailed, contact } = props
  const t = useTranslations('verifyReport')
  const tVerify = useTranslations('verify')
  const language = useLanguage()
  const verdictText = useVerdictText()
  const { verdict, winners, remarks, voucher, terms, termsHash, listHash, logSize } = outcome
  const confirmed = voucher?.by === 'witnesses' ? voucher : null
  const stamps = stampsOf(voucher)
  const tone = verdictTone(outcome)
  const failed = outcome.steps.find(({ outcome }) => outcome === 'failed')
  const winner = winners.findLast(({ isForfeited }) => !isForfeited)
  const shown = (number: number): string => shownNumber(number, terms?.tickets)
  const facts = [
    [t('facts.contest'), terms?.contest],
    [t('facts.opened'), confirmed?.opened && timeText(confirmed.opened, language)],
    [t('facts.sealed'), confirmed?.sealed && timeText(confirmed.sealed, language)],
    [t('facts.termsStamped'), stamps?.opened && timeText(stamps.opened, language)],
    [t('facts.listStamped'), stamps?.sealed && timeText(stamps.sealed, language)],
    [t('facts.authority'), stamps?.name],
    [t('facts.lines'), logSize],
    [tVerify('kept.termsHash'), termsHash],
    [tVerify('kept.listHash'), listHash],
  ] as const
  return (
    <section aria-labelledby="verify-verdict" className="grid grid-cols-1 gap-5" data-verdict={verdict}>
      <h2 id="verify-verdict" className="text-title">
        {t('verdict.title')}
      </h2>
      <Alert tone={tone} title={verdictText(outcome, emailed)}>
        {emailed && comparedOf(outcome, emailed) === 'differs' && (
          <p className="mb-3">{tVerify('compared.keep', { contact: contact ?? tVerify('compared.shop') })}</p>
        )}
        {failed?.outcome === 'failed' && <FaultText fault={failed} />}
        {!failed && voucher && <p className="mb-3">{t(`voucher.${reasonOf(voucher, outcome)}`)}</p>}
        {winner ? (
          <span className="flex flex-wrap items-center gap-3">
            <Plate size="large">{shown(winner.number)}</Plate>
            {t('verdict.winner', { number: shown(winner.number) })}
          </span>
        ) : (
          (verdict === 'passed' || verdict === 'incomplete') && t('verdict.noWinner')
        )}
        {winners
          .filter(({ isForfeited }) => isForfeited)
          .map(({ attempt, number }) => (
            <p key={attempt} className="mt-1.5">
              {t('verdict.forfeited', { number: shown(number) })}
            </p>
          ))}
      </Alert>
      <Remarks remarks={remarks} terms={terms} />
      {terms && (
        <div className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-surface p-5 text-sm">
          <dl className="grid grid-cols-1 gap-3">
            {facts.map(
              ([name, value]) =>
                value && (
                  <div key={name}>
                    <dt className="text-muted">{name}</dt>
                    <dd className="font-mono wrap-anywhere">{value}</dd>
                  </div>
                ),
            )}
          </dl>
          <p className="max-w-[68ch] text-muted">{t('facts.own')}</p>
          {stamps && <p className="max-w-[68ch] text-muted">{t('facts.chosen')}</p>}
        </div>
      )}
      <WithoutUs {...props} />
    </section>
  )
}

/** What people should know, but for what the verdict says first. */
export function Remarks({ remarks, terms }: Pick<PackOutcome, 'remarks'> & Partial<PackOutcome>): ReactNode {
  const t = useTranslations('verifyReport')
  const language = useLanguage()
  const said = unreal({ remarks })
  const others = remarks.filter(({ code }) => code !== said)
  if (others.length === 0) return null
  return (
    <Alert tone="warning" title={t('remarksTitle')}>
      <ul className="grid list-disc grid-cols-1 gap-1.5 pl-5 wrap-anywhere">
        {others.map(({ code, values }, at) => (
          <li key={at}>
            {t(`remarks.${code}`, shownValues(values, language))}{' '}
            {code === 'silence-claimed' && terms && <AskBeacon terms={terms} round={Number(values.round)} />}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

/** Where the public beacon gives a round; a chain of a demonstration's own is not there. */
function AskBeacon({ terms, round }: { terms: Terms; round: number }): ReactNode {
  if (terms.demonstration) return null
  const address = `https://api.drand.sh/${terms.beacon.chain}/public/${round}`
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" className="prose-link">
      {address}
    </a>
  )
}

function WithoutUs({ outcome, fileName, program }: VerdictProps): ReactNode {
  const t = useTranslations('verify')
  const { terms, winners } = outcome
  return (
    <section
      aria-labelledby="verify-without"
      className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-surface p-5 text-sm"
    >
      <h3 id="verify-without" className="text-lg">
        {t('without.title')}
      </h3>
      <p className="max-w-[68ch]">{t('without.text')}</p>
      {program !== undefined && (
        <a href={program} download={PROGRAM} className="prose-link w-fit py-1">
          {t('without.get', { name: PROGRAM })}
        </a>
      )}
      <p className="text-muted">{t('without.command')}</p>
      <pre className="rounded-sm bg-sunken p-3 font-mono whitespace-pre-wrap wrap-anywhere" translate="no">
        {`python3 ${PROGRAM} ${fileName ?? `${terms?.contest ?? 'SLUG'}-evidence.zip`}`}
      </pre>
      {terms &&
        !terms.demonstration &&
        winners.map(({ attempt, round }) => (
          <p key={attempt} className="wrap-anywhere">
            {t('without.beacon', { file: `beacon-${attempt}.json` })}{' '}
            <AskBeacon terms={terms} round={round} />
          </p>
        ))}
    </section>
  )
}
