import { useState } from 'react'
import { useRevalidator } from 'react-router'
import { toast } from 'sonner'
import { ApiError } from '#client/api-error.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { forgetUnsent } from './unsent.ts'

interface ActionState {
  isBusy: boolean
  /** Of the last attempt. */
  error: string | undefined
  /** The first message of each field. */
  fields: Readonly<Record<string, string>>
}

const IDLE: ActionState = { isBusy: false, error: undefined, fields: {} }

/**
 * Runs an action of a button or a form: one at a time, with its faults in place, and the screen's data loaded again
 * afterwards.
 */
export function useAction() {
  const t = useTranslations('console.common')
  const { revalidate } = useRevalidator()
  const [state, setState] = useState(IDLE)

  /** @param done a short message @returns whether it succeeded */
  async function run(act: () => Promise<unknown>, done?: string): Promise<boolean> {
    setState({ ...IDLE, isBusy: true })
    try {
      await act()
      setState(IDLE)
      forgetUnsent()
      if (done !== undefined) toast.success(done)
      await revalidate()
      return true
    } catch (error) {
      const failure = error instanceof ApiError ? error : undefined
      setState({
        isBusy: false,
        error: failure?.message ?? t('unexpected'),
        fields: failure?.fields ?? {},
      })
      return false
    }
  }

  return {
    ...state,
    /** The error, where no field shows it. */
    fault: Object.keys(state.fields).length === 0 ? state.error : undefined,
    run,
    reset: () => setState(IDLE),
  }
}

export type Action = ReturnType<typeof useAction>
