// The first stop of the Tab key: past the header, whose button stops everything, to the screen's content.
import { useLocation } from 'wouter';

export const SkipLink = () => {
  const [location] = useLocation();
  return (
    <a
      className="skip-link"
      href={`#${location}`}
      onClick={(event) => {
        event.preventDefault();
        document.querySelector('main')?.focus();
      }}
    >
      Skip to the content
    </a>
  );
};
