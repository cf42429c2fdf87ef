//! `ImageSampler`, which 3MF does not have: an image that is called like a function.
//!
//! Which image, and how its values between and beyond the voxels are found, is said by the image function; the writer
//! makes one for each that it needs, and names it so that the reader knows it again.

use fibula_core::graph::ImageFunction;
use fibula_nodes::{Filter, ResourceId, TileStyle};

/// The kind.
pub(super) const SAMPLER: &str = "ImageSampler";

/// The parameters that are whole numbers, with their defaults: the filter, and the tiles along u, v and w.
pub(super) const NUMBERS: [(&str, i64); 4] = [
    ("filter", 1),
    ("tilestyle_u", 0),
    ("tilestyle_v", 0),
    ("tilestyle_w", 0),
];

const FILTERS: [(Filter, &str); 2] = [(Filter::Nearest, "nearest"), (Filter::Linear, "linear")];

const TILES: [(TileStyle, &str); 4] = [
    (TileStyle::Wrap, "wrap"),
    (TileStyle::Mirror, "mirror"),
    (TileStyle::Clamp, "clamp"),
    (TileStyle::None, "none"),
];

/// The image function of a sampler; `None` if one of its numbers means nothing.
pub(super) fn function(image: ResourceId, numbers: [i64; 4]) -> Option<ImageFunction> {
    let at = |number: i64| usize::try_from(number).ok();
    let (filter, mut name) = *FILTERS.get(at(numbers[0])?)?;
    let mut tiles = [TileStyle::Wrap; 3];
    let mut title = format!("sampler of image {image}: {name}");
    for (tile, &number) in tiles.iter_mut().zip(&numbers[1..]) {
        (*tile, name) = *TILES.get(at(number)?)?;
        title = format!("{title}, {name}");
    }
    Some(ImageFunction {
        name: title,
        image,
        scale: 1.0,
        offset: 0.0,
        filter,
        tiles,
    })
}

/// The name that 3MF gives a filter.
pub(super) fn filter_name(filter: Filter) -> &'static str {
    let found = FILTERS.iter().find(|(one, _)| *one == filter);
    found.map_or("linear", |(_, name)| name)
}

/// The name that 3MF gives a tile style.
pub(super) fn tile_name(tile: TileStyle) -> &'static str {
    let found = TILES.iter().find(|(one, _)| *one == tile);
    found.map_or("wrap", |(_, name)| name)
}

/// The whole numbers of the sampler that an image function stands for; `None` if it stands for none.
pub(super) fn numbers(image: &ImageFunction) -> Option<[i64; 4]> {
    let filter = FILTERS.iter().position(|(one, _)| *one == image.filter)?;
    let mut numbers = [filter as i64, 0, 0, 0];
    for (number, tile) in numbers[1..].iter_mut().zip(image.tiles) {
        *number = TILES.iter().position(|(one, _)| *one == tile)? as i64;
    }
    let bits = [image.scale, image.offset].map(f64::to_bits);
    let plain = bits == [1.0_f64, 0.0].map(f64::to_bits);
    plain.then_some(numbers)
}

/// Whether the writer made an image function for a sampler.
pub(super) fn is_made(image: &ImageFunction) -> bool {
    numbers(image)
        .and_then(|numbers| function(image.image, numbers))
        .as_ref()
        == Some(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_function() {
        let made = function(ResourceId(4), [0, 3, 2, 1]).unwrap();
        assert_eq!(
            made.name,
            "sampler of image 4: nearest, none, clamp, mirror"
        );
        assert_eq!(numbers(&made), Some([0, 3, 2, 1]));
        assert!(is_made(&made));
        let other = ImageFunction {
            scale: 2.0,
            ..made.clone()
        };
        assert_eq!(numbers(&other), None);
        let renamed = ImageFunction {
            name: "mine".to_owned(),
            ..made
        };
        assert!(!is_made(&renamed) && numbers(&renamed).is_some());
        assert_eq!(function(ResourceId(4), [2, 0, 0, 0]), None);
        assert_eq!(function(ResourceId(4), [0, 0, -1, 0]), None);
    }
}
