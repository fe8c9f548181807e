import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { classes } from './classes.ts'
import { Spinner } from './spinner.tsx'
import { Tooltip } from './tooltip.tsx'

/** `inverse` is for dark grounds. */
export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'inverse'
export type ButtonSize = 'medium' | 'large' | 'small'

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'bg-fill text-on-fill hover:bg-fill-strong',
  secondary: 'border border-line-strong bg-surface text-ink hover:border-ink',
  ghost: 'text-ink hover:bg-sunken',
  inverse: 'bg-paper text-asphalt hover:bg-white',
  danger: 'border border-error bg-surface text-error hover:bg-error-soft',
}
const SIZES: Record<ButtonSize, string> = {
  small: 'min-h-11 text-sm',
  medium: 'min-h-12 text-base',
  large: 'min-h-14 text-lg',
}
const SIDES: Record<ButtonSize, string> = {
  small: 'px-4',
  medium: 'px-[min(1.25rem,7vw)]',
  large: 'px-[min(1.75rem,7vw)]',
}

/** For buttons only, because links are never disabled. */
const DISABLED = 'disabled:border-transparent disabled:bg-sunken disabled:text-muted'

/** The classes of a button, also for links. @param wide fills the available width */
export const buttonClasses = (
  variant: ButtonVariant = 'primary',
  size: ButtonSize = 'medium',
  { wide = false, className }: { wide?: boolean; className?: string | undefined } = {},
): string =>
  classes(
    'pressable inline-flex max-w-full items-center justify-center gap-2.5 rounded-md text-center font-semibold leading-tight no-underline',
    'transition-colors duration-150',
    VARIANTS[variant],
    SIZES[size],
    wide ? 'w-full px-3' : SIDES[size],
    className,
  )

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant
  size?: ButtonSize
  wide?: boolean
  busy?: boolean
  busyText?: string
  children: ReactNode
}

/** A button. Show the reason for `disabled` beside it. */
export function Button(props: ButtonProps): ReactNode {
  const {
    variant,
    size,
    wide,
    busy = false,
    busyText,
    disabled,
    className,
    children,
    type = 'button',
    ...rest
  } = props
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={buttonClasses(variant, size, {
        wide: wide ?? false,
        className: classes(DISABLED, className),
      })}
    >
      {busy && <Spinner />}
      {busy ? (busyText ?? children) : children}
    </button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  label: string
  children: ReactNode
}

/** A square icon button of at least 44 px. */
export function IconButton({
  label,
  className,
  children,
  type = 'button',
  ...rest
}: IconButtonProps): ReactNode {
  return (
    <Tooltip text={label}>
      <button
        {...rest}
        type={type}
        aria-label={label}
        className={classes(
          'inline-flex size-11 shrink-0 items-center justify-center rounded-md text-ink transition-colors duration-150',
          'hover:bg-sunken disabled:text-muted disabled:hover:bg-transparent',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  )
}
