import {
  type DefaultValues,
  type FieldPathByValue,
  type FieldValues,
  type Path,
  type PathValue,
  useForm,
  useWatch,
} from 'react-hook-form'
import { useAction } from './use-action.ts'

/** The values of a form by name, and the action that sends them, whose faults stand at the fields that they name. */
export function useFields<Values extends FieldValues>(initial: Values) {
  const action = useAction()
  const { register, control, setValue, setFocus, reset } = useForm<Values>({
    defaultValues: initial as DefaultValues<Values>,
  })
  /** As they stand now, also those of fields that are not shown. */
  const values = useWatch({ control }) as Values
  return {
    ...action,
    values,
    set: setValue,
    clear: () => reset(),
    focus: (name: Path<Values>) => setFocus(name),
    /** For a field of `fields.tsx`. */
    field: (name: Path<Values>) => ({ ...register(name), error: action.fields[name] }),
    /** For a Checkbox. */
    box: (name: FieldPathByValue<Values, boolean>) => ({
      checked: values[name] as boolean,
      onChange: (checked: boolean) => setValue(name, checked as PathValue<Values, typeof name>),
    }),
  }
}
