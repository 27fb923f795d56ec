//! The colours of the screens, by meaning. The background is never painted, and no meaning depends on
//! colour alone.

use ratatui::style::Color;

/// The colours that the user chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColourPalette {
    /// The terminal's own sixteen.
    #[default]
    Terminal,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// For a dark background, told apart by most colour-blind people.
    ColourBlind,
    /// For a light background, told apart by most colour-blind people.
    ColourBlindLight,
    /// Bold, underlined and reversed; errors alone have a colour, and nothing is dim.
    HighContrast,
    /// None.
    #[value(skip)]
    None,
}

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourRole {
    Accent,
    Error,
    Warning,
    Good,
    New,
    Secret,
    Dim,
}

/// Each role's colours: of the terminal, dark, light, colour-blind dark, colour-blind light. The contrast is
/// at least 5.7:1 on 1e1e1e or ffffff.
const COLOURS: [(ColourRole, Color, [u32; 4]); 7] = [
    (ColourRole::Accent, Color::Cyan, [0x5f_c9_d8, 0x00_66_7a, 0x56_b4_e9, 0x00_5a_8e]),
    (ColourRole::Error, Color::Red, [0xff_7b_72, 0xb0_00_20, 0xff_8a_4c, 0xa6_3c_00]),
    (ColourRole::Warning, Color::Yellow, [0xe5_b5_67, 0x7a_52_00, 0xf0_e4_42, 0x6b_5b_00]),
    (ColourRole::Good, Color::Green, [0x8b_c9_8b, 0x1b_6e_2e, 0x56_b4_e9, 0x00_5a_8e]),
    (ColourRole::New, Color::Blue, [0x7f_b3_ff, 0x0b_57_c4, 0xe6_9f_00, 0x8a_5a_00]),
    (ColourRole::Secret, Color::Magenta, [0xd9_8c_e6, 0x8a_1f_9c, 0xcc_9a_d0, 0x8a_3f_86]),
    (ColourRole::Dim, Color::Reset, [0x9a_9a_9a, 0x66_66_66, 0x9a_9a_9a, 0x66_66_66]),
];

impl ColourPalette {
    /// The palettes that the user can choose, each with a description.
    pub const CHOICES: [(ColourPalette, &'static str, &'static str); 6] = [
        (ColourPalette::Terminal, "terminal", "the terminal's own 16 colours"),
        (ColourPalette::Dark, "dark", "fixed colours for a dark background"),
        (ColourPalette::Light, "light", "fixed colours for a light background"),
        (ColourPalette::ColourBlind, "colour-blind", "on dark, told apart by most colour-blind people"),
        (ColourPalette::ColourBlindLight, "colour-blind-light", "the same on a light background"),
        (ColourPalette::HighContrast, "high-contrast", "bold, underlined and reversed; nothing is dim"),
    ];

    /// Returns the colour of a role, if the role has one.
    pub fn colour(self, role: ColourRole) -> Option<Color> {
        let (_, own, rest) = COLOURS.iter().find(|(own, ..)| *own == role)?;
        let of = |rgb: u32| {
            let [_, red, green, blue] = rgb.to_be_bytes();
            Some(Color::Rgb(red, green, blue))
        };
        match self {
            ColourPalette::Terminal => Some(*own).filter(|own| *own != Color::Reset),
            ColourPalette::Dark => of(rest[0]),
            ColourPalette::Light => of(rest[1]),
            ColourPalette::ColourBlind => of(rest[2]),
            ColourPalette::ColourBlindLight => of(rest[3]),
            ColourPalette::HighContrast => Some(Color::Red).filter(|_| role == ColourRole::Error),
            ColourPalette::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance (WCAG 2).
    fn luminance(rgb: [u8; 3]) -> f64 {
        let linear = |own: u8| {
            let own = f64::from(own) / 255.0;
            if own <= 0.04045 { own / 12.92 } else { ((own + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
    }

    #[test]
    fn what_can_be_chosen_is_what_the_settings_know_by_the_same_names() {
        use clap::ValueEnum;
        let known =
            ColourPalette::value_variants().iter().map(|own| (*own, own.to_possible_value().unwrap()));
        let known: Vec<(ColourPalette, String)> =
            known.map(|(own, name)| (own, name.get_name().to_owned())).collect();
        let offered: Vec<(ColourPalette, String)> =
            ColourPalette::CHOICES.iter().map(|(own, name, _)| (*own, (*name).to_owned())).collect();
        assert_eq!(offered, known);
    }

    #[test]
    fn every_colour_can_be_read_on_its_background() {
        for (role, _, colours) in COLOURS {
            for (at, rgb) in colours.into_iter().enumerate() {
                let [_, red, green, blue] = rgb.to_be_bytes();
                let ground = if at % 2 == 0 { [0x1e; 3] } else { [0xff; 3] };
                let (one, other) = (luminance([red, green, blue]), luminance(ground));
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                assert!(contrast >= 5.7, "{role:?} {at}: {contrast:.2}");
            }
        }
    }
}
