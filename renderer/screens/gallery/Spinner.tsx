// Marks work in progress; it turns unless the system asks for reduced motion.
import { IconLoader2 } from '@tabler/icons-react';
import styles from './gallery.module.css';

export const Spinner = ({ size }: { size: number }) => (
  <IconLoader2 size={size} className={styles['spinner']} aria-hidden />
);
